import { z } from 'zod'
import { readSignedValue, signValue } from '#server/lib/signed-value.ts'

/*
 * Pages may connect to our own origin only. The script that sends files straight to a bucket is told by its own address
 * where else it may connect to: a signed text, for exactly one origin.
 */

const purpose = 'upload.origin'
const passSchema = z.object({ origin: z.string() })
const day = 86_400_000

/** A text that lets the upload script reach an origin. The same one all day, so that browsers keep the script. */
export function passFor(key: string, origin: string): string {
  const expiresAt = new Date((Math.floor(Date.now() / day) + 2) * day)
  return signValue(key, purpose, { origin }, expiresAt)
}

/** The origin of such a text; null for any other. */
export function originOfPass(key: string, pass: string): string | null {
  return passSchema.safeParse(readSignedValue(key, purpose, pass)).data?.origin ?? null
}
