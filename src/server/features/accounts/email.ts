import { isStorableText } from '#shared/fields/field-type.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/** One `@`, something before it, host labels behind it. Whether mail arrives there only mail can tell. */
const shape =
  /^[^\s@\p{Cc}\p{Cf}]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?)*$/u

/**
 * An e-mail address as it is kept (`email`, full-width forms made ASCII) and as it must not repeat (`key`, lower
 * case); null when it is none.
 */
export function readEmail(input: string): { email: string; key: string } | null {
  if (!isStorableText(input)) return null
  const email = normalizeUnicode(input.trim(), 'NFKC')
  return email.length <= 254 && shape.test(email) ? { email, key: email.toLowerCase() } : null
}
