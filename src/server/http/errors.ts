import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasState, isNotNow, isRefusedValue } from '#server/db/sql-states.ts'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import { AppError } from '#shared/errors.ts'
import { unstorablePath } from './bodies/validation.ts'
import type { PresentError } from './http-operation.ts'
import { issueSentence } from './sentences.ts'

/** Converts any error to an AppError. Unknown errors become an `InternalServerError` without details for the client. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code, message, statusCode, headers } = error as Partial<FastifyError> & {
    code?: string
    headers?: Record<string, string>
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('RequestFileTooLarge', { cause: error })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new AppError('UnsupportedMediaType', { cause: error })
  // The caller has disconnected, so no client reads the response.
  if ((error as Error).name === 'AbortError' || (code === 'ECONNRESET' && message === 'aborted'))
    return new AppError('ValidationFailed', { cause: error })
  // Ids are shorter than the limit.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new AppError('NotFound', { cause: error })
  if (code === 'FST_ERR_BAD_URL') return new AppError('ValidationFailed', { cause: error })
  // The parent existed when the request was admitted, and was deleted in the meantime.
  if (hasState(error, 'foreignKeyViolation')) return new AppError('NotFound', { cause: error })
  if (hasState(error, 'diskFull')) return new AppError('StorageFull', { cause: error })
  if (code === 'FST_ERR_HANDLER_TIMEOUT' || isNotNow(error))
    return new AppError('ServiceUnavailable', { headers: { 'retry-after': '1' }, cause: error })
  if (isRefusedValue(error)) return new AppError('ValidationFailed', { cause: error })
  // Files support conditional and range requests. `Content-Range` contains the length of the file.
  if (statusCode === 412) return new AppError('PreconditionFailed', { cause: error })
  if (statusCode === 416)
    return new AppError('RangeNotSatisfiable', { ...(headers && { headers }), cause: error })
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return new AppError('ValidationFailed', { message: message ?? 'Bad request', cause: error })
  return new AppError('InternalServerError', { cause: error })
}

/** Adds the path of a value that passed the schemas but was refused by PostgreSQL. */
function named(error: AppError, { body, query, params }: FastifyRequest): AppError {
  if (error.issues || !isRefusedValue(error.cause)) return error
  const path = unstorablePath(body) ?? unstorablePath(query) ?? unstorablePath(params)
  if (path === undefined) return error
  return new AppError(error.code, { issues: [{ path, code: 'InvalidValue' }], cause: error.cause })
}

/** Returns a readable message. If the error has only a code, the message lists up to five issues with their reasons. */
function messageOf({ code, message, issues }: AppError): string {
  if (message !== code || !issues || issues.length === 0) return message
  const named = issues.slice(0, 5).map((issue) => {
    const reason = issueSentence('en', issue)
    return issue.path ? `${issue.path}: ${reason}` : reason
  })
  const more = issues.length > named.length ? [`${issues.length - named.length} more`] : []
  return `${code}: ${[...named, ...more].join('; ')}`
}

/** Returns an error handler that sends errors in the format of a protocol. */
export const sendErrorsOf =
  (presentError: PresentError) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const message = presentError(error, toAppError(error), request.headers)
    if (!message) return sendError(error, request, reply)
    const { status, headers, type, body } = message
    if (status >= 500 && status !== 501) request.log.error({ err: error }, 'An error of a protocol')
    return reply
      .code(status)
      .headers({ 'cache-control': 'no-store', ...headers })
      .type(type)
      .send(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** Returns whether a request of this server failed, also if a library has wrapped the error. */
function isCausedByOutgoing(error: unknown): boolean {
  for (let depth = 0, cause = error; cause instanceof Error && depth < 10; depth++, cause = cause.cause)
    if (cause instanceof OutgoingHttpError) return true
  return false
}

/** Sends an error of the management API: `{code, message, issues?, …}`. Causes are logged and not sent. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = named(toAppError(error), request)
  // A request to a user-supplied URL was blocked or got no valid response, which is not an error of this server.
  const isElsewhere = isCausedByOutgoing(known)
  if (known.status >= 500 && !isElsewhere) request.log.error({ err: known.cause ?? error }, known.code)
  else if (known.cause) request.log.info({ err: known.cause }, known.code)
  return reply
    .code(known.status)
    .headers({ 'cache-control': 'no-store', ...known.headers })
    .send({
      code: known.code,
      message: messageOf(known),
      ...(known.issues ? { issues: known.issues } : {}),
      ...known.details,
    })
}
