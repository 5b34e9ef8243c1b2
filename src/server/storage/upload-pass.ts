import { z } from 'zod'
import { readSignedValue, signValue } from '#server/lib/signed-value.ts'

/*
 * The CSP only allows pages to connect to the installation's origin. The script for direct uploads to a bucket needs an
 * additional origin. The URL of the script contains a signed pass for exactly this origin.
 */

const purpose = 'upload.origin'
const passSchema = z.object({ origin: z.string() })
const day = 86_400_000

/**
 * Returns a pass that lets the upload script reach an origin. The pass stays the same during a day (UTC), so that
 * browsers can cache the script. It is valid for one to two days.
 */
export function passFor(key: string, origin: string): string {
  const expiresAt = new Date((Math.floor(Date.now() / day) + 2) * day)
  return signValue(key, purpose, { origin }, expiresAt)
}

/** Returns the origin of a valid pass. `null` for any other text. */
export function originOfPass(key: string, pass: string): string | null {
  return passSchema.safeParse(readSignedValue(key, purpose, pass)).data?.origin ?? null
}
