import { hash, randomBytes } from 'node:crypto'

/**
 * Creates a 24-hex `_id` from four bytes of seconds and eight random bytes. Ids from a later second sort later, which
 * keeps new rows close together in their index. Code must not depend on that order.
 */
export function newId(): string {
  const bytes = Buffer.allocUnsafe(12)
  bytes.writeUInt32BE(Math.floor(Date.now() / 1000))
  randomBytes(8).copy(bytes, 4)
  return bytes.toString('hex')
}

export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
