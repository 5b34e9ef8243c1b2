import { AppError } from '#shared/errors.ts'
import type { StorageTrouble } from '#shared/storage.ts'

/**
 * Storage of file contents: the local disk or a bucket. Keys are generated (storage/keys.ts), never user-chosen names.
 */
export interface StorageDriver {
  /** Name of the storage in rows: `local`, `s3`. */
  readonly kind: string
  /**
   * The bytes from `start` to `end` (both inclusive, limited to the file's end); without a range, all. The iteration
   * must be completed or ended. Throws StorageNotFound, also for a range beyond the end.
   */
  read(
    key: string,
    range?: { start: number; end: number },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>
  /** Path of the content on this machine; only for storages that keep local files. */
  pathOf?(key: string): string
  /**
   * Stores the bytes under the key atomically; durable once it resolves. Throws StorageFull, StorageAway,
   * StorageMismatch.
   */
  write(key: string, bytes: Bytes, options: WriteOptions): Promise<void>
  /** A missing key is no error. */
  delete(key: string): Promise<void>
  /** undefined: the key does not exist. */
  stat(key: string): Promise<StoredObject | undefined>
  copy(from: string, to: string): Promise<void>
  /** All objects below a prefix, sorted by key. */
  list(prefix: string): AsyncIterable<StoredObject>
  /**
   * A signed address for a direct PUT of exactly such a file; null when the storage has none (local disk), so the
   * server's own upload address is used.
   */
  signPut(key: string, file: { type: string; size: number; expiresAt: Date }): Promise<SignedPut | null>
}

/** A function returns the bytes anew on each call, so that an interrupted write can be retried. */
export type Bytes = AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>)

export interface WriteOptions {
  /** Media type, for storages that keep one. */
  type: string
  /** Size in bytes: a different size is an error, and nothing is stored. */
  size: number
  /** Hash of the content, in hex: a mismatch is an error, and nothing is stored. */
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

/* Errors of drivers are AppErrors that can be answered directly. */

/** The key does not exist. */
export class StorageNotFound extends AppError {
  constructor() {
    super('NotFound')
  }
}

/** The storage is full. */
export class StorageFull extends AppError {
  constructor(cause?: unknown) {
    super('StorageFull', { cause })
  }
}

/** The storage does not respond, or responds invalidly: retry later. */
export class StorageAway extends AppError {
  readonly trouble: StorageTrouble
  constructor(trouble: StorageTrouble, cause?: unknown) {
    super('StorageUnavailable', { cause, details: { reason: trouble } })
    this.trouble = trouble
  }
}

/** The storage refuses the request: wrong credentials, no such bucket. */
export class StorageRefused extends AppError {
  readonly trouble: StorageTrouble
  /** The region that the storage names as the right one. */
  readonly region: string | undefined
  constructor(trouble: StorageTrouble, options: { region?: string | undefined; cause?: unknown } = {}) {
    super('StorageRefused', { cause: options.cause, details: { reason: trouble } })
    this.trouble = trouble
    this.region = options.region
  }
}

/** The size or hash of the content differs from what was announced. */
export class StorageMismatch extends Error {}
