import { createHmac, randomBytes } from 'node:crypto'

/*
 * Signatures of the Standard Webhooks specification, version 1.0 (symmetric, `v1`): the base64 of the HMAC-SHA256 of
 * `{id}.{timestamp}.{body}`.
 */

const prefix = 'whsec_'

/** Creates a signing key of 32 random bytes, in the form that is entered at the receiver. */
export const newSigningSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`

/** Returns the headers of a signed request. `keys`: all valid keys. `at`: the time of this attempt. */
export function signedHeaders(
  keys: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = keys.map((key) => {
    const hmac = createHmac('sha256', Buffer.from(key.slice(prefix.length), 'base64'))
    return `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
