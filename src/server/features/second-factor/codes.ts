import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { sha256 } from '#server/lib/ids.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

const period = 30
/** Maximum clock difference in time steps of 30 seconds (RFC 6238 §5.2). */
const window = 1

/** Creates a secret of an authenticator app in base32: 160 bits, as RFC 4226 recommends. */
export const newSecret = (): string => new Secret({ size: 20 }).base32

const totpOf = (secret: string, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({ ...names, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period })

/** Returns the `otpauth:` URL in the QR code, with the usual parameters: SHA-1, six digits, 30 seconds. */
export const addressOf = (secret: string, names: { issuer: string; label: string }): string =>
  totpOf(secret, names).toString()

/**
 * Normalises a typed code: converts full-width characters to ASCII and letters to lower case, and removes spaces and
 * hyphens.
 */
export const readCode = (text: string): string =>
  normalizeUnicode(text, 'NFKC')
    .replace(/[\s\p{Pd}]/gu, '')
    .toLowerCase()

/** Returns the time step of the code (30 seconds each, since 1970). null: the code is not valid now. */
export function stepOf(secret: string, code: string, now = Date.now()): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const delta = totpOf(secret).validate({ token: code, timestamp: now, window })
  return delta === null ? null : Math.floor(now / 1000 / period) + delta
}

/** All letters, and the digits that do not resemble a letter (RFC 4648 base32, lower case). */
const letters = 'abcdefghijklmnopqrstuvwxyz234567'
const codes = 10
const groups = { count: 4, length: 5 }

/** Creates ten codes of 100 bits, `abcde-fghij-klmno-pqrst`, to sign in without the app. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: codes }, () => {
    const bytes = randomBytes(groups.count * groups.length)
    const text = Array.from(bytes, (byte) => letters[byte & 31]).join('')
    return text.match(new RegExp(`.{${groups.length}}`, 'g'))?.join('-') ?? ''
  })

/** Returns the stored form of a recovery code. A plain hash is enough, because 100 random bits cannot be guessed. */
export const hashRecoveryCode = (code: string): Buffer => sha256(readCode(code))
