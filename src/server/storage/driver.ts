import { AppError } from '#shared/errors.ts'
import type { StorageTrouble } from '#shared/storage.ts'

/**
 * Storage of file contents: the local disk or a bucket. Keys are generated, never user-chosen names. storage/keys.ts
 * checks their form.
 */
export interface StorageDriver {
  /** Kind of the storage: `local` or `s3`. */
  readonly kind: string
  /**
   * Reads the bytes from `start` to `end` (both inclusive, limited to the file's end), or all bytes without a range.
   * The caller must complete or end the iteration. Throws `StorageNotFound`, also if the range starts beyond the end of
   * the file.
   */
  read(
    key: string,
    range?: { start: number; end: number },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>
  /** Returns the path of the content on this machine. Only for storages with local files. */
  pathOf?(key: string): string
  /**
   * Stores the bytes under the key atomically. They are durable once the promise resolves. Throws `StorageFull`,
   * `StorageAway`, `StorageRefused`, `StorageMismatch`.
   */
  write(key: string, bytes: Bytes, options: WriteOptions): Promise<void>
  /** Deletes an object. A missing key is no error. */
  delete(key: string): Promise<void>
  /** Returns size and time of an object. `undefined`: the key does not exist. */
  stat(key: string): Promise<StoredObject | undefined>
  copy(from: string, to: string): Promise<void>
  /** Returns all objects below a prefix, sorted by key. */
  list(prefix: string): AsyncIterable<StoredObject>
  /**
   * Returns a signed URL for a direct PUT of exactly this file. `null` if the storage has no signed URLs (local disk),
   * so that the server's own upload URL is used.
   */
  signPut(key: string, file: { type: string; size: number; expiresAt: Date }): Promise<SignedPut | null>
}

/** The bytes, or a function that returns them again on each call, so that an interrupted write can be retried. */
export type Bytes = AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>)

export interface WriteOptions {
  /** Media type, for storages that store it. */
  type: string
  /** Size in bytes. A different size is an error, and nothing is stored. */
  size: number
  /** Hash of the content, in hex. A mismatch is an error, and nothing is stored. */
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

/* Errors of drivers. All except `StorageMismatch` are `AppError`s that can be sent as responses. */

/** The key does not exist. */
export class StorageNotFound extends AppError {
  constructor() {
    super('NotFound')
  }
}

/** The storage has no space for the file. On the local disk, the reserve counts as used. */
export class StorageFull extends AppError {
  constructor(cause?: unknown) {
    super('StorageFull', { cause })
  }
}

/** The storage does not respond, or responds invalidly. A later attempt may succeed. */
export class StorageAway extends AppError {
  readonly trouble: StorageTrouble
  constructor(trouble: StorageTrouble, cause?: unknown) {
    super('StorageUnavailable', { cause, details: { reason: trouble } })
    this.trouble = trouble
  }
}

/** The storage refuses the request (for example wrong credentials, or no such bucket), or its URL is not allowed. */
export class StorageRefused extends AppError {
  readonly trouble: StorageTrouble
  /** The correct region, if the storage names it. */
  readonly region: string | undefined
  constructor(trouble: StorageTrouble, options: { region?: string | undefined; cause?: unknown } = {}) {
    super('StorageRefused', { cause: options.cause, details: { reason: trouble } })
    this.trouble = trouble
    this.region = options.region
  }
}

/** The size or hash of the content differs from the announced one. */
export class StorageMismatch extends Error {}
