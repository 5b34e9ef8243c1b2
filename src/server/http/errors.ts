import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isTransient } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'

/** PostgreSQL's refusals of values that our own validation should have named first: still no 500. */
const dataErrors = new Set([
  '22021',
  '22P05',
  '22P02',
  '22003',
  '22008',
  '2201X',
  '54000',
  '54001',
  '08P01',
  '23514',
])
const unavailable = new Set([
  '57P01',
  '57P02',
  '57P03',
  '25P03', // idle in a transaction for too long
  '08006',
  '08003',
  '08001',
  '53300',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
])

/** Any error as one of ours. What is not known is an `InternalServerError` that tells the client nothing more. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code, message, statusCode } = error as Partial<FastifyError> & { code?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('RequestFileTooLarge', { cause: error })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new AppError('UnsupportedMediaType', { cause: error })
  // Nobody reads the answer.
  if ((error as Error).name === 'AbortError') return new AppError('ValidationFailed', { cause: error })
  // No id of ours is that long.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new AppError('NotFound', { cause: error })
  if (code === 'FST_ERR_BAD_URL') return new AppError('ValidationFailed', { cause: error })
  // What this belongs to was there when the request was let in, and was removed meanwhile.
  if (code === '23503') return new AppError('NotFound', { cause: error })
  if (code === '53100') return new AppError('StorageFull', { cause: error })
  if (
    isTransient(error) ||
    code === '57014' ||
    (code && unavailable.has(code)) ||
    /timeout exceeded when trying to connect|Connection terminated|not queryable/.test(message ?? '')
  )
    return new AppError('ServiceUnavailable', { headers: { 'retry-after': '1' }, cause: error })
  if (code && dataErrors.has(code)) return new AppError('ValidationFailed', { cause: error })
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return new AppError('ValidationFailed', { message: message ?? 'Bad request', cause: error })
  return new AppError('InternalServerError', { cause: error })
}

/** The management API's answer to an error: `{code, message, issues?, …}`. Causes are logged, never sent. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toAppError(error)
  if (known.status >= 500) request.log.error({ err: known.cause ?? error }, known.code)
  else if (known.cause) request.log.info({ err: known.cause }, known.code)
  return reply
    .code(known.status)
    .headers({ 'cache-control': 'no-store', ...known.headers })
    .send({
      code: known.code,
      message: known.message,
      ...(known.issues ? { issues: known.issues } : {}),
      ...known.details,
    })
}
