import { hash, randomBytes } from 'node:crypto'

/**
 * A new 24-hex `_id`: four bytes of seconds, eight random bytes. Later ids sort later, which keeps new rows close together
 * in their index; no code may depend on that order.
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
