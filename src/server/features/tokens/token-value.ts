import { randomBytes } from 'node:crypto'
import { sha256 } from '#server/lib/ids.ts'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns the bytes as a number in base 62, padded with zeros to `length` digits. */
function base62(bytes: Buffer, length: number): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)] + text
  return text.padStart(length, '0')
}

const checksum = (body: string) => base62(sha256(body).subarray(0, 4), 6)

/**
 * Creates a token value: its kind, 32 random bytes in base 62 (43 digits) and a checksum of six digits, which lets
 * scanners for leaked secrets recognise it offline.
 */
export function newTokenValue(kind: 'cdn' | 'api' | 'scim'): string {
  const body = `${kind}_${base62(randomBytes(32), 43)}`
  return body + checksum(body)
}

/** Checks whether the text has the form of a token for delivery (`cdn` or `api`), valid or not. */
export function isTokenValue(text: string): boolean {
  return /^(?:cdn|api)_[0-9A-Za-z]{49}$/.test(text) && text.endsWith(checksum(text.slice(0, -6)))
}
