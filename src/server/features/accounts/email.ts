import type { Issue } from '#shared/errors.ts'
import { isStorableText } from '#shared/fields/field-type.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/** One `@`, something before it, host labels behind it. Whether mail arrives there only mail can tell. */
const shape =
  /^[^\s@]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?)*$/u

/**
 * What an address is not made of, so that two that look alike are not two people: anything but letters, digits, the
 * signs that RFC 5322 allows unquoted, and marks on letters of other scripts; and of those nothing that shows as nothing
 * (fillers and variation selectors count as letters and marks).
 */
const unusable =
  /\p{Default_Ignorable_Code_Point}|[^\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~.@-]|(?<=^|\p{ASCII})\p{M}/u

const invalidFormat = { issue: { path: 'email', code: 'InvalidFormat' } } as const

/**
 * An email address as it is kept (`email`, full-width forms made ASCII) and as it must not repeat (`key`, lower
 * case); or why it is none.
 */
export function readEmail(input: string): { email: string; key: string } | { issue: Issue } {
  if (!isStorableText(input)) return invalidFormat
  const email = asKept(input)
  const [character] = unusable.exec(email) ?? []
  // Spaces and control characters are seen, or are typing errors; the others have to be named.
  if (character && !/[\s\p{Cc}]/u.test(character))
    return {
      issue: { path: 'email', code: 'InvalidCharacter', params: { character: codePointOf(character) } },
    }
  return !character && email.length <= 254 && shape.test(email) ? { email, key: keyOf(email) } : invalidFormat
}

/**
 * The key that an account of this address has, if there is one; null for what no account can have. What new addresses
 * are refused for does not count here: who signed up before a rule still signs in.
 */
export function emailKey(input: string): string | null {
  return isStorableText(input) ? keyOf(asKept(input)) : null
}

/** Full-width forms made ASCII. */
const asKept = (input: string) => normalizeUnicode(input.trim(), 'NFKC')
const keyOf = (email: string) => email.toLowerCase()

const codePointOf = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
