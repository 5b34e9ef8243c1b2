import { AnswerTooLarge } from '#server/content/read.ts'
import { isNotNow } from '#server/db/sql-states.ts'
import { AppError } from '#shared/errors.ts'

const statuses = {
  BadRequest: 400,
  InvalidQueryParameter: 400,
  ResponseSizeTooLarge: 400,
  Unauthorized: 401,
  PermissionDenied: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  TooManyRequests: 429,
  InternalServerError: 500,
} as const

/** An error of the delivery API: answered as exactly `{status, code, message}`. */
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

/** Clients try 429 again, after 1, 2, 3 s, and do not try 503. */
export function overloaded(): DeliveryError {
  return new DeliveryError('TooManyRequests', 'Too many requests. Please try again later.', {
    'retry-after': '1',
  })
}

export const tooLarge = () =>
  new DeliveryError(
    'ResponseSizeTooLarge',
    'The response is 7 MB or larger. Lower limit or depth, or select fewer fields.',
  )

/** Any error as one of the delivery API. What is not known is a 500 that tells nothing. */
export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error
  if (error instanceof AnswerTooLarge) return tooLarge()
  if (error instanceof AppError && error.code === 'InvalidQueryParameter')
    return new DeliveryError('InvalidQueryParameter', error.message)
  if (error instanceof AppError && error.code === 'ServiceUnavailable') return overloaded()
  if (error instanceof AppError && error.code === 'FieldIsBeingConverted')
    return new DeliveryError(
      'TooManyRequests',
      `${error.message}. Please try again later, or without this parameter.`,
      error.headers,
    )
  if (isNotNow(error)) return overloaded()
  const { statusCode } = error as { statusCode?: number }
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return new DeliveryError('BadRequest', 'The request is malformed.')
  return new DeliveryError('InternalServerError', 'An internal server error occurred.')
}
