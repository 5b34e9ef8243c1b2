import { hash, verify } from '@node-rs/argon2'
import { AppError, type Issue } from '#shared/errors.ts'
import { countCodePoints } from '#shared/fields/field-type.ts'
import { isCommonPassword } from './common-passwords.ts'

/** For new passwords only: who has a shorter one from before still signs in. */
const minimumLength = 10
/** OWASP's minimum for argon2id, which is the library's default algorithm. Memory in KiB. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashing is the dearest thing a stranger can ask for: at most this many at once, and this many waiting. */
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
    // The place is handed on, so that nobody who comes later gets in between.
    if (next) next()
    else running--
  }
}

/** The whole password is hashed: nothing is cut, trimmed or folded. Throws 429 when too many wait. */
export function hashPassword(password: string): Promise<string> {
  return whenFree(() => hash(Buffer.from(password), cost))
}

/** The hash of an account without a password, and of one that does not exist, so that the answer takes as long. Nothing matches it. */
export const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

/** Is this the password? Takes as long for `null` (no such account), which never matches. Throws 429 when too many wait. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const matches = await whenFree(() => verify(passwordHash ?? nobodysHash, Buffer.from(password)))
  return matches && passwordHash !== null && passwordHash !== nobodysHash
}

/** What is wrong with a new password for this address, or null. Length and guessability count, not kinds of characters. */
export function passwordIssue(password: string, email: string): Issue | null {
  const path = 'password'
  if (countCodePoints(password) < minimumLength)
    return { path, code: 'TooFewCharacters', params: { minimum: minimumLength } }
  if (!password.isWellFormed() || isCommonPassword(password, email)) return { path, code: 'InvalidValue' }
  return null
}
