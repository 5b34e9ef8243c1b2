import type { ServerResponse } from 'node:http'
import { AppError } from '#shared/errors.ts'

/**
 * Limits the memory of bodies that a process collects at a time, in bytes. The limit per address leaves room for other
 * callers.
 */
const limits = { all: 128 * 1024 * 1024, address: 12 * 1024 * 1024 }

const heldBy = new Map<string, number>()
let held = 0

/**
 * Returns a function that counts bytes of a request that stay in memory, until its response was sent or its connection
 * is closed. It throws 429 or 503 if the bodies of the address, or all bodies, exceed their limit.
 */
export function limitMemory(address: string, response: ServerResponse): (bytes: number) => void {
  let own = 0
  let isClosed = response.destroyed
  const change = (bytes: number) => {
    own += bytes
    held += bytes
    const ofAddress = (heldBy.get(address) ?? 0) + bytes
    if (ofAddress > 0) heldBy.set(address, ofAddress)
    else heldBy.delete(address)
    return ofAddress
  }
  response.once('close', () => {
    isClosed = true
    change(-own)
  })
  return (bytes) => {
    if (isClosed) return
    const headers = { 'retry-after': '5' }
    if (change(bytes) > limits.address) throw new AppError('TooManyRequests', { headers })
    if (held > limits.all) throw new AppError('ServiceUnavailable', { headers })
  }
}
