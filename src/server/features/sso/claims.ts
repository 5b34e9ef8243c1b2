import type { SsoGroupsProblem, SsoRefusalReason } from '#shared/contract/sso.ts'
import { AppError } from '#shared/errors.ts'
import { normalizeUnicode, replaceInvisible, shorten, shownName } from '#shared/unicode.ts'

/** The verified claims of an identity provider about a user. */
export interface Claims {
  issuer: string
  subject: string
  email: string | null
  /** Reason why `email` is null. null: there is an address. */
  emailProblem: EmailProblem | null
  /**
   * Domain of the organization that manages the account; null: no organization does. undefined: the issuer is not
   * Google. Google also signs in users with addresses of domains whose organization does not manage their account.
   */
  managedBy?: string | null
  name: string
  groups: string[]
  groupsProblem: SsoGroupsProblem | null
}

type EmailProblem = 'noEmail' | 'emailNotVerified' | 'wrongEmail'

/** The reason for refusing a sign-in, for the admins of the space. */
export class SsoRefusal extends Error {
  readonly reason: SsoRefusalReason
  constructor(reason: SsoRefusalReason, why: string, cause?: unknown) {
    super(why, { cause })
    this.reason = reason
  }
}

/**
 * Returns the error for a refused sign-in. The browser of a normal sign-in gets only the code. The reason is for the
 * audit log of the space and for SSO tests.
 */
export const refused = (reason: SsoRefusalReason, why: string, cause?: unknown) =>
  new AppError('SsoRefused', { cause: new SsoRefusal(reason, why, cause) })

export const longest = { subject: 500, email: 254, name: 100, group: 256, groups: 500 }

/**
 * Returns a text without invisible characters and surrounding whitespace. null: not a text, empty, or longer than
 * `length`.
 */
export function textOf(value: unknown, length: number): string | null {
  if (typeof value !== 'string') return null
  const clean = replaceInvisible(value.toWellFormed(), '').trim()
  return clean === '' || clean.length > length ? null : clean
}

/**
 * Returns an identifier without surrounding spaces, tabs and line breaks. null: {@link textOf} returns null, or would
 * change the identifier in another way.
 */
function exactTextOf(value: unknown, length: number): string | null {
  const text = textOf(value, length)
  return typeof value === 'string' && value.replace(/^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g, '') === text
    ? text
    : null
}

/** Returns a name as it can be shown and stored. Empty: no usable name. */
export const nameOf = (value: unknown): string =>
  typeof value === 'string' ? shownName(shorten(value.trim(), longest.name), '') : ''

/**
 * Returns up to 500 names of groups, sent as one text or as a list, and the problem with them, if any. A name with
 * invisible characters is left out, because it could look like another name. A text counts as one name, because names
 * may contain commas and brackets.
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
 * Returns the email address that the identity provider sent, or the reason why it cannot be used. It must be verified,
 * a text, and not too long. Invisible characters and compatibility forms are refused, because the address could
 * resemble another one.
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
