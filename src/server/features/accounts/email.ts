import type { Issue } from '#shared/errors.ts'
import { isStorableText } from '#shared/fields/field-type.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/** One `@`, a local part before it, host labels after it. Only a mail can show whether the address exists. */
const shape =
  /^[^\s@]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?)*$/u

/**
 * Characters refused in email addresses, so that two accounts cannot look alike. Allowed are letters, digits, the
 * unquoted signs of RFC 5322, and marks on non-ASCII letters. Invisible characters are refused even if they count as
 * letters or marks.
 */
const unusable =
  /\p{Default_Ignorable_Code_Point}|[^\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~.@-]|(?<=^|\p{ASCII})\p{M}/u

const invalidFormat = { issue: { path: 'email', code: 'InvalidFormat' } } as const

/**
 * Parses an email address. Returns it as stored (`email`, with full-width forms converted to ASCII) and as compared
 * (`key`, lower case), or the issue.
 */
export function readEmail(input: string): { email: string; key: string } | { issue: Issue } {
  if (!isStorableText(input)) return invalidFormat
  const email = asKept(input)
  const [character] = unusable.exec(email) ?? []
  // Spaces and control characters are obvious typing errors, so the issue does not name them.
  if (character && !/[\s\p{Cc}]/u.test(character))
    return {
      issue: { path: 'email', code: 'InvalidCharacter', params: { character: codePointOf(character) } },
    }
  return !character && email.length <= 254 && shape.test(email) ? { email, key: keyOf(email) } : invalidFormat
}

/**
 * Returns the key that an account with this email address has. null: the text cannot be stored. The rules for new
 * addresses do not apply, so that older accounts can still sign in.
 */
export function emailKey(input: string): string | null {
  return isStorableText(input) ? keyOf(asKept(input)) : null
}

const asKept = (input: string) => normalizeUnicode(input.trim(), 'NFKC')
const keyOf = (email: string) => email.toLowerCase()

const codePointOf = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
