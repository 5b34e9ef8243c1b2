import { AppError } from '#shared/errors.ts'

/** What an identity provider says of somebody, once it was checked. */
export interface Claims {
  issuer: string
  subject: string
  email: string | null
  name: string
  groups: string[]
}

/** For what is not as it must be. `why` is for our log and our tests: whoever sends such an answer is told no more. */
export const refused = (why: string, cause?: unknown) =>
  new AppError('SsoRefused', { cause: new Error(why, { cause }) })

export const longest = { subject: 500, email: 254, name: 100, group: 256, groups: 500 }

/** A text of the identity provider's that we keep; null for what is none. */
export function textOf(value: unknown, length: number): string | null {
  if (typeof value !== 'string') return null
  const clean = value
    .toWellFormed()
    .replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '')
    .trim()
  return clean === '' || clean.length > length ? null : clean
}

/** Names of groups, sent as one text or several. */
export function groupsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value]
  return list.flatMap((one) => textOf(one, longest.group) ?? []).slice(0, longest.groups)
}
