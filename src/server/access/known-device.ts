import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '#server/config.ts'
import { deviceDays } from './sessions.ts'

/**
 * Creates the cookie that marks a browser in which an account signed in: `{id}.{last day}.{HMAC}`. It cannot sign
 * anyone in. It only lets this browser try passwords after failed attempts from elsewhere have reached the account's
 * limit. The HMAC binds it to the account's e-mail address. The id has its own counter of attempts (attempts.ts).
 */
export function newDevice(secrets: Secrets, emailKey: string): string {
  const id = randomBytes(16).toString('base64url')
  const lastDay = today() + deviceDays
  return `${id}.${lastDay}.${signature(secrets, emailKey, id, lastDay).toString('base64url')}`
}

/**
 * Returns the id in a cookie that was created for this address. null: another address, an expired cookie, or any other
 * text.
 */
export function readDevice(secrets: Secrets, emailKey: string, cookie: string | undefined): string | null {
  const [, id = '', lastDay = '', given = ''] =
    /^([\w-]{22})\.(\d{1,6})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
  if (id === '' || Number(lastDay) < today()) return null
  const expected = signature(secrets, emailKey, id, Number(lastDay))
  const actual = Buffer.from(given, 'base64url')
  return actual.length === expected.length && timingSafeEqual(actual, expected) ? id : null
}

const today = () => Math.floor(Date.now() / 86_400_000)

function signature(secrets: Secrets, emailKey: string, id: string, lastDay: number): Buffer {
  return createHmac('sha256', secrets.sessionKey)
    .update(JSON.stringify(['known device', emailKey, id, lastDay]))
    .digest()
}
