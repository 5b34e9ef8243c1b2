/** Where the bytes of files lie: the local disk or a bucket. Keys are ours (hex and slashes), never names of people's. */
export interface StorageDriver {
  /** Tells storages apart in rows: `local`, `s3`. */
  readonly kind: string
  /** Bytes from `start` to `end` (both inclusive); all of them without a range. Throws StorageNotFound. */
  read(
    key: string,
    range?: { start: number; end: number },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>
  /** Keeps the bytes under the key, whole or not at all, and durably when it answers. Throws StorageFull, StorageAway. */
  write(key: string, bytes: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<void>
  /** Nothing happens for a key that is not there. */
  delete(key: string): Promise<void>
  /** undefined: there is nothing under that key. */
  stat(key: string): Promise<StoredObject | undefined>
  copy(from: string, to: string): Promise<void>
  /** Everything below a prefix, by key. */
  list(prefix: string): AsyncIterable<StoredObject>
  /**
   * An address to PUT exactly such a file to without passing through us; null where there is none (local disk), and the
   * server's own signed address is used instead.
   */
  signPut(key: string, file: { type: string; size: number; expiresAt: Date }): Promise<SignedPut | null>
}

export interface WriteOptions {
  /** Media type, for storages that keep one. */
  type: string
  /** Bytes, when known: more or fewer are an error. */
  size?: number
  signal?: AbortSignal
}

export interface StoredObject {
  key: string
  size: number
  modifiedAt: Date
}

export interface SignedPut {
  url: string
  headers: Record<string, string>
}

/** There is nothing under that key. */
export class StorageNotFound extends Error {}
/** No room is left. */
export class StorageFull extends Error {}
/** The storage does not answer, or answers nonsense: to be tried again later. */
export class StorageAway extends Error {}
/** The storage refuses us: wrong key, no such bucket. */
export class StorageRefused extends Error {}
