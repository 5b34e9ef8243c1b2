import { ScriptLoadError } from '#admin/base/reload-guard.ts'
import { translator } from '#admin/i18n/messages.ts'
import { type ErrorCode, type Issue, issueArguments } from '#shared/errors.ts'
import { ApiError } from './api.ts'

/** What some codes mean where they are shown. */
export type ErrorTexts = Partial<Record<ErrorCode, string>>

/** What to tell a person about a failed call: what `texts` say, or the text of `server-error.{code}`, else the one for unknown errors. */
export function errorText(error: unknown, texts?: ErrorTexts): string {
  const t = translator()
  if (error instanceof ScriptLoadError) return t('common.scriptFailed')
  const own = error instanceof ApiError && texts?.[error.code as ErrorCode]
  if (own) return own
  const key = `server-error.${error instanceof ApiError ? error.code : 'undefined'}` as const
  return t.has(key) ? t(key) : t('server-error.undefined')
}

/** Could the server not be reached? */
export function isOffline(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0
}

/** What to tell about one place of the input. `code` may be one that this version of the admin does not know. */
export function issueText(issue: Pick<Issue, 'code' | 'params'>): string {
  const t = translator()
  const key = `issue.${issue.code}` as `issue.${Issue['code']}`
  if (!t.has(key)) return t('issue.other')
  return t(key, issueArguments(issue))
}
