import type { SsoRefusalReason } from '#shared/contract/sso.ts'
import { AppError } from '#shared/errors.ts'
import { invisible } from '#shared/unicode.ts'

/** What an identity provider says of somebody, once it was checked. */
export interface Claims {
  issuer: string
  subject: string
  email: string | null
  name: string
  groups: string[]
}

/** Why an answer of an identity provider was refused, for who looks after the space. */
export class SsoRefusal extends Error {
  readonly reason: SsoRefusalReason
  constructor(reason: SsoRefusalReason, why: string, cause?: unknown) {
    super(why, { cause })
    this.reason = reason
  }
}

/** For an answer that is not as it must be. Whoever sent it learns no more than the code; the reason is for our logs. */
export const refused = (reason: SsoRefusalReason, why: string, cause?: unknown) =>
  new AppError('SsoRefused', { cause: new SsoRefusal(reason, why, cause) })

export const longest = { subject: 500, email: 254, name: 100, group: 256, groups: 500 }
const anyInvisible = new RegExp(invisible, 'gu')

/** A text of the identity provider's that we keep; null for what is none. */
export function textOf(value: unknown, length: number): string | null {
  if (typeof value !== 'string') return null
  const clean = value.toWellFormed().replace(anyInvisible, '').trim()
  return clean === '' || clean.length > length ? null : clean
}

/** Names of groups, sent as one text or several. */
export function groupsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value]
  return list.flatMap((one) => textOf(one, longest.group) ?? []).slice(0, longest.groups)
}
