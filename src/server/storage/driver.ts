import { AppError } from '#shared/errors.ts'
import type { StorageTrouble } from '#shared/storage.ts'

/** Where the bytes of files lie: the local disk or a bucket. Keys are ours (storage/keys.ts), never names of people's. */
export interface StorageDriver {
  /** Tells storages apart in rows: `local`, `s3`. */
  readonly kind: string
  /**
   * Bytes from `start` to `end` (both inclusive, the file's end at most); all of them without a range. Read them to the
   * end, or end the iteration. Throws StorageNotFound, also for a range behind the end.
   */
  read(
    key: string,
    range?: { start: number; end: number },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>
  /** Where the bytes lie as a file of this machine; only of storages that keep them so. */
  pathOf?(key: string): string
  /** Keeps the bytes under the key, whole or not at all, and durably when it answers. Throws StorageFull, StorageAway, StorageMismatch. */
  write(key: string, bytes: Bytes, options: WriteOptions): Promise<void>
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

/** A function gives them anew each time it is called, so that a write that was cut off can be tried again. */
export type Bytes = AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>)

export interface WriteOptions {
  /** Media type, for storages that keep one. */
  type: string
  /** Bytes: more or fewer are an error, and nothing is kept. */
  size: number
  /** Of the content, in hex: other bytes are an error, and nothing is kept. */
  sha256?: string
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

/*
 * What a driver throws, as it is answered to who waits: nobody in between has to translate it.
 */

/** There is nothing under that key. */
export class StorageNotFound extends AppError {
  constructor() {
    super('NotFound')
  }
}

/** No room is left. */
export class StorageFull extends AppError {
  constructor(cause?: unknown) {
    super('StorageFull', { cause })
  }
}

/** The storage does not answer, or answers nonsense: to be tried again later. */
export class StorageAway extends AppError {
  readonly trouble: StorageTrouble
  constructor(trouble: StorageTrouble, cause?: unknown) {
    super('StorageUnavailable', { cause, details: { reason: trouble } })
    this.trouble = trouble
  }
}

/** The storage refuses us: wrong key, no such bucket. */
export class StorageRefused extends AppError {
  readonly trouble: StorageTrouble
  /** The region the storage says is right. */
  readonly region: string | undefined
  constructor(trouble: StorageTrouble, options: { region?: string | undefined; cause?: unknown } = {}) {
    super('StorageRefused', { cause: options.cause, details: { reason: trouble } })
    this.trouble = trouble
    this.region = options.region
  }
}

/** More, fewer or other bytes came than were announced. */
export class StorageMismatch extends Error {}
