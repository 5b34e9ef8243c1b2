import { AnswerTooLarge } from '#server/content/read.ts'
import { isNotNow } from '#server/db/sql-states.ts'
import { AppError } from '#shared/errors.ts'

const statuses = {
  BadRequest: 400,
  InvalidQueryParameter: 400,
  ResponseSizeTooLarge: 400,
  Unauthorized: 401,
  PermissionDenied: 403,
  IpAddressNotAllowed: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  RangeNotSatisfiable: 416,
  TooManyRequests: 429,
  InternalServerError: 500,
} as const

/** An error of the delivery API. The response is exactly `{status, code, message}`. */
export class DeliveryError extends Error {
  readonly code: keyof typeof statuses
  readonly headers: Record<string, string>

  constructor(code: keyof typeof statuses, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.code = code
    this.headers = headers
  }

  get status(): number {
    return statuses[this.code]
  }

  body(): string {
    return JSON.stringify({ status: this.status, code: this.code, message: this.message })
  }
}

/** Creates the error for an overloaded server. Newt's clients retry a 429 after 1, 2 and 3 seconds, but not a 503. */
export function overloaded(): DeliveryError {
  return new DeliveryError('TooManyRequests', 'Too many requests. Please try again later.', {
    'retry-after': '1',
  })
}

/** Seconds until a missing field index is usually built. The request records the need for it, and a job builds it. */
const indexedAfter = 30

/**
 * Creates the error for a list that timed out because the fields that it filters or sorts by (given by `uid`) have no
 * index yet.
 */
export const notIndexedYet = (fields: string[]): DeliveryError =>
  new DeliveryError(
    'TooManyRequests',
    `This list takes too long without an index on ${fields.map((uid) => `"${uid}"`).join(', ')}, which is being made. ` +
      `Please try again in ${indexedAfter} seconds.`,
    { 'retry-after': String(indexedAfter) },
  )

export const tooLarge = () =>
  new DeliveryError(
    'ResponseSizeTooLarge',
    'The response is 7 MB or larger. Lower limit or depth, or select fewer fields.',
  )

function ofAsset({ code }: AppError): DeliveryError {
  switch (code) {
    case 'NotFound':
      return new DeliveryError('NotFound', 'The file is not there.')
    case 'FileIsEmpty':
    case 'FileIsDamaged':
    case 'UnsupportedMediaType':
      return new DeliveryError('BadRequest', 'No picture can be made of this file.')
    case 'ImageIsTooLarge':
      return new DeliveryError('BadRequest', 'This picture takes too much time or memory to transform.')
    case 'ValidationFailed':
      return new DeliveryError(
        'InvalidQueryParameter',
        'The parameter "extract" must lie inside the picture.',
      )
    case 'ServiceUnavailable':
    case 'StorageUnavailable':
    case 'StorageRefused':
      return overloaded()
    default:
      return new DeliveryError('InternalServerError', 'An internal server error occurred.')
  }
}

/** Converts any error to a `DeliveryError`. Unknown errors become a 500 without details. */
export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error
  if (error instanceof AnswerTooLarge) return tooLarge()
  if (error instanceof AppError && error.code === 'InvalidQueryParameter')
    return new DeliveryError('InvalidQueryParameter', error.message)
  if (error instanceof AppError && error.code === 'FieldIsBeingConverted')
    return new DeliveryError(
      'TooManyRequests',
      `${error.message}. Please try again later, or without this parameter.`,
      error.headers,
    )
  if (error instanceof AppError) return ofAsset(error)
  if (isNotNow(error)) return overloaded()
  // The client has disconnected and does not receive this response.
  if ((error as Error).name === 'AbortError')
    return new DeliveryError('BadRequest', 'The request was aborted.')
  const { statusCode } = error as { statusCode?: number }
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return new DeliveryError('BadRequest', 'The request is malformed.')
  return new DeliveryError('InternalServerError', 'An internal server error occurred.')
}
