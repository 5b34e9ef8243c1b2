import type { SsoGroupsProblem, SsoRefusalReason } from '#shared/contract/sso.ts'
import { AppError } from '#shared/errors.ts'
import { normalizeUnicode, replaceInvisible, shorten, shownName } from '#shared/unicode.ts'

/** The verified claims of an identity provider about a person. */
export interface Claims {
  issuer: string
  subject: string
  email: string | null
  /** Why there is no address. */
  emailProblem: EmailProblem | null
  /**
   * For issuers that also sign in people with addresses that they do not manage (Google): the domain of the organization
   * that manages the account, null without one. Undefined for other issuers.
   */
  managedBy?: string | null
  name: string
  groups: string[]
  groupsProblem: SsoGroupsProblem | null
}

type EmailProblem = 'noEmail' | 'emailNotVerified' | 'wrongEmail'

/** Why an answer of an identity provider was refused, for the administrators of the space. */
export class SsoRefusal extends Error {
  readonly reason: SsoRefusalReason
  constructor(reason: SsoRefusalReason, why: string, cause?: unknown) {
    super(why, { cause })
    this.reason = reason
  }
}

/** The error for an invalid answer. The sender only gets the code; the reason is for the logs. */
export const refused = (reason: SsoRefusalReason, why: string, cause?: unknown) =>
  new AppError('SsoRefused', { cause: new SsoRefusal(reason, why, cause) })

export const longest = { subject: 500, email: 254, name: 100, group: 256, groups: 500 }

/** A stored text of the identity provider, without invisible characters; null if invalid. */
export function textOf(value: unknown, length: number): string | null {
  if (typeof value !== 'string') return null
  const clean = replaceInvisible(value.toWellFormed(), '').trim()
  return clean === '' || clean.length > length ? null : clean
}

/** An identifier, unchanged except for surrounding whitespace; null if cleaning would change it otherwise. */
function exactTextOf(value: unknown, length: number): string | null {
  const text = textOf(value, length)
  return typeof value === 'string' && value.replace(/^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g, '') === text
    ? text
    : null
}

/** A name as it can be shown and stored; empty when there is none. */
export const nameOf = (value: unknown): string =>
  typeof value === 'string' ? shownName(shorten(value.trim(), longest.name), '') : ''

/**
 * Names of groups, sent as one text or several, and problems with their format. A name with invisible characters is
 * rejected, because it looks like another one; a text is always one name, because names may contain commas and
 * brackets.
 */
export function groupsOf(value: unknown): Pick<Claims, 'groups' | 'groupsProblem'> {
  if (value === undefined || value === null) return { groups: [], groupsProblem: 'missing' }
  const list = Array.isArray(value) ? value : value === '' ? [] : [value]
  const read = list.flatMap((one) => exactTextOf(one, longest.group) ?? [])
  const looksLikeList = typeof value === 'string' && /[,;]|^\s*[[{]/.test(value)
  const groupsProblem =
    list.length > longest.groups
      ? 'tooMany'
      : read.length < list.length
        ? 'unreadable'
        : looksLikeList
          ? 'oneText'
          : null
  return { groups: read.slice(0, longest.groups), groupsProblem }
}

/**
 * The address from the identity provider. An unverified one, or one that resembles another by invisible characters or
 * compatibility forms, is rejected.
 */
export function emailOf(
  value: unknown,
  { isVerified = true }: { isVerified?: boolean } = {},
): Pick<Claims, 'email' | 'emailProblem'> {
  const problem = (emailProblem: EmailProblem) => ({ email: null, emailProblem })
  if (value === undefined || value === null || value === '') return problem('noEmail')
  const email = exactTextOf(value, longest.email)
  if (email === null || normalizeUnicode(email, 'NFKC') !== normalizeUnicode(email, 'NFC'))
    return problem('wrongEmail')
  return isVerified ? { email, emailProblem: null } : problem('emailNotVerified')
}
