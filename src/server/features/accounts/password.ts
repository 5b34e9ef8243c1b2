import { hash, verify } from '@node-rs/argon2'
import { AppError, type Issue } from '#shared/errors.ts'
import { countCodePoints } from '#shared/fields/field-type.ts'
import { isCommonPassword } from './common-passwords.ts'

/** Minimum number of characters of a new password. Accounts with a shorter one can still sign in. */
const minimumLength = 10
/** OWASP's minimum for argon2id, which is the library's default algorithm. Memory in KiB. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Maximum numbers of concurrent and waiting calls in this process. Hashing is expensive, and visitors can cause it. */
const maximumRunning = 4
const maximumWaiting = 32
let running = 0
const waiting: (() => void)[] = []

async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  if (running < maximumRunning) running++
  else {
    if (waiting.length >= maximumWaiting)
      throw new AppError('TooManyRequests', { headers: { 'retry-after': '2' } })
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    // The slot is passed to the next call in the queue, so that no later call can take it.
    if (next) next()
    else running--
  }
}

/**
 * Hashes the whole password, without truncating, trimming or normalising it. Throws 429 if `maximumWaiting` calls are
 * waiting.
 */
export function hashPassword(password: string): Promise<string> {
  return whenFree(() => hash(Buffer.from(password), cost))
}

/**
 * Hash for accounts without a password. Also used for unknown accounts, so that verification takes equal time. No
 * password matches it.
 */
export const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

/**
 * Checks whether the password matches. Takes equal time for `null` (no such account), which never matches. Throws 429
 * if `maximumWaiting` calls are waiting.
 */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const matches = await whenFree(() => verify(passwordHash ?? nobodysHash, Buffer.from(password)))
  return matches && passwordHash !== null && passwordHash !== nobodysHash
}

/**
 * Returns the issue with a new password for this email address, or null. Checks length and guessability, not kinds of
 * characters.
 */
export function passwordIssue(password: string, email: string): Issue | null {
  const path = 'password'
  if (countCodePoints(password) < minimumLength)
    return { path, code: 'TooFewCharacters', params: { minimum: minimumLength } }
  if (!password.isWellFormed() || isCommonPassword(password, email)) return { path, code: 'InvalidValue' }
  return null
}
