import { ScriptLoadError } from '#admin/base/reload-guard.ts'
import { translator } from '#admin/i18n/messages.ts'
import { type ErrorCode, type Issue, issueArguments } from '#shared/errors.ts'
import { ApiError } from './api.ts'

/** Thrown if the browser returns no passkey: the user closed its dialog, or its time limit passed. */
export class PasskeyError extends Error {
  override name = 'PasskeyError'
  readonly purpose: 'create' | 'use'

  constructor(purpose: 'create' | 'use', cause: Error) {
    super(cause.message, { cause })
    this.purpose = purpose
  }
}

/** Messages that replace the default messages, by error code. */
export type ErrorTexts = Partial<Record<ErrorCode, string>>

/**
 * Returns the message for a failed call: the one in `texts`, otherwise `server-error.{code}`, otherwise the message for
 * unknown errors. Scripts that failed to load and passkey errors have their own messages.
 */
export function errorText(error: unknown, texts?: ErrorTexts): string {
  const t = translator()
  if (error instanceof ScriptLoadError)
    return t(error.isOffline ? 'common.scriptOffline' : 'common.scriptFailed')
  if (error instanceof PasskeyError)
    return t(error.purpose === 'create' ? 'common.passkeyNotCreated' : 'common.passkeyNotUsed')
  const own = error instanceof ApiError && texts?.[error.code as ErrorCode]
  if (own) return own
  const key = `server-error.${error instanceof ApiError ? error.code : 'undefined'}` as const
  return t.has(key) ? t(key) : t('server-error.undefined')
}

/**
 * Returns the message for a failed call that sent the value of a single input: the message of the first issue for
 * `ValidationFailed`, otherwise the message of {@link errorText}.
 */
export function inputErrorText(error: unknown): string {
  const [issue] = error instanceof ApiError && error.code === 'ValidationFailed' ? error.issues : []
  return issue ? issueText(issue) : errorText(error)
}

/** Returns the message for a failed load that the page repeats when the server can be reached again. */
export function loadErrorText(error: unknown): string {
  if (error instanceof ApiError && isOffline(error)) return translator()('common.loadOffline')
  return errorText(error)
}

/** Returns whether a call or a script failed because the server could not be reached. */
export function isOffline(error: unknown): boolean {
  return error instanceof ScriptLoadError ? error.isOffline : error instanceof ApiError && error.status === 0
}

/** Returns the message for one issue. `code` may be unknown to this version of the admin. */
export function issueText(issue: Pick<Issue, 'code' | 'params'>): string {
  const t = translator()
  const key = `issue.${issue.code}` as `issue.${Issue['code']}`
  if (!t.has(key)) return t('issue.other')
  return t(key, issueArguments(issue))
}
