import { OutgoingHttpError, type OutgoingResponse } from '#server/lib/outgoing-http.ts'
import type { StorageTrouble } from '#shared/storage.ts'
import { StorageAway, StorageFull, StorageNotFound, StorageRefused } from '../driver.ts'
import { element } from './xml.ts'

const full = new Set([
  'QuotaExceeded',
  'InsufficientStorage',
  'XMinioStorageFull',
  'StorageFull',
  'OverQuota',
])

const refusals: Record<string, StorageTrouble> = {
  NoSuchBucket: 'noSuchBucket',
  InvalidBucketName: 'noSuchBucket',
  SignatureDoesNotMatch: 'wrongSecret',
  InvalidAccessKeyId: 'unknownKey',
  InvalidToken: 'unknownKey',
  ExpiredToken: 'unknownKey',
  RequestTimeTooSkewed: 'clock',
  RequestExpired: 'clock',
  AccessDenied: 'accessDenied',
  AuthorizationHeaderMalformed: 'wrongRegion',
  IllegalLocationConstraintException: 'wrongRegion',
  PermanentRedirect: 'wrongRegion',
  TemporaryRedirect: 'wrongRegion',
}

/** Temporary errors, which are retried. */
const passing: Record<string, StorageTrouble> = {
  SlowDown: 'busy',
  ServiceUnavailable: 'busy',
  InternalError: 'busy',
  RequestTimeout: 'slow',
  OperationAborted: 'busy',
  IncompleteBody: 'differentContent',
  BadDigest: 'differentContent',
  XAmzContentSHA256Mismatch: 'differentContent',
}

/**
 * Converts a failed response of S3 (error code, status, body and region) to an error. `code` is `undefined` if the body
 * had no code.
 */
export function errorOfCode(code: string | undefined, status: number, xml = '', region?: string): Error {
  if (code !== undefined && full.has(code)) return new StorageFull()
  const transient = code === undefined ? undefined : passing[code]
  if (transient) return new StorageAway(transient, new Error(code))
  if (code === 'NoSuchKey' || (code === undefined && status === 404)) return new StorageNotFound()
  const cause = new Error(`${status} ${code ?? ''}`)
  const trouble = code === undefined ? undefined : refusals[code]
  // Some services send another code together with the right region.
  const rightRegion = region ?? element(xml, 'Region')
  if (trouble)
    return new StorageRefused(trouble, { cause, region: trouble === 'wrongRegion' ? rightRegion : undefined })
  if (status >= 300 && status < 400) return new StorageRefused('wrongRegion', { cause, region: rightRegion })
  if (status === 507) return new StorageFull()
  if (status === 416) return new StorageNotFound()
  if (status === 412) return new StorageAway('differentContent', cause)
  if (status === 429 || status >= 500) return new StorageAway('busy', cause)
  if (status === 401 || status === 403) return new StorageRefused('accessDenied', { cause })
  if (code === undefined && status === 400 && rightRegion)
    return new StorageRefused('wrongRegion', { cause, region: rightRegion })
  return new StorageRefused(code === undefined && xml !== '' ? 'notS3' : 'other', { cause })
}

/** Converts an unsuccessful response to an error. Reads its body. */
export async function errorOfAnswer(answer: OutgoingResponse): Promise<Error> {
  const xml = await answer.text().catch(() => '')
  const region = answer.headers['x-amz-bucket-region']
  return errorOfCode(
    element(xml, 'Code'),
    answer.status,
    xml,
    typeof region === 'string' ? region : undefined,
  )
}

const tlsError = /CERT|TLS|SSL|SELF_SIGNED|VERIFY_LEAF/

/**
 * Converts an error of the connection. Returns other errors unchanged, and the reason of the signal if the caller
 * aborted.
 */
export function errorOfFailure(error: unknown, signal?: AbortSignal): unknown {
  if (!(error instanceof OutgoingHttpError)) return error
  if (error.code === 'aborted' && signal?.aborted) return signal.reason
  switch (error.code) {
    case 'blocked_address':
      return new StorageRefused('notAllowedAddress', { cause: error })
    case 'timeout':
      return new StorageAway('slow', error)
    case 'too_large':
      return new StorageAway('notS3', error)
    case 'network':
      return new StorageAway(tlsError.test(error.detail) ? 'insecure' : 'unreachable', error)
    default:
      return new StorageRefused('other', { cause: error })
  }
}
