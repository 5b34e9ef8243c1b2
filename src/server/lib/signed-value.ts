import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Encodes a value as a signed text for URLs, valid until `expiresAt`. Only this installation can create it. `purpose`
 * prevents use for another purpose, and must never change.
 */
export function signValue(key: string, purpose: string, value: object, expiresAt: Date): string {
  const body = Buffer.from(JSON.stringify([Math.floor(expiresAt.getTime() / 1000), value])).toString(
    'base64url',
  )
  return `${body}.${signature(key, purpose, body)}`
}

/** Returns the value of a signed text. `undefined` if the text is invalid or expired. */
export function readSignedValue(key: string, purpose: string, text: string): unknown {
  const [body = '', given = '', rest] = text.split('.')
  const expected = Buffer.from(signature(key, purpose, body))
  const actual = Buffer.from(given)
  if (rest !== undefined || actual.length !== expected.length || !timingSafeEqual(actual, expected))
    return undefined
  const [expires, value] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, unknown]
  return Date.now() < expires * 1000 ? value : undefined
}

const signature = (key: string, purpose: string, body: string) =>
  createHmac('sha256', key).update(`${purpose}\n${body}`).digest('base64url')
