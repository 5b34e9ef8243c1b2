import type { Secrets } from '#server/config.ts'
import { createKeyring } from '#server/lib/keyring.ts'

export interface Sealed {
  /** Signing keys: the current one first, then the previous one. */
  keys: string[]
  /** Values of secret headers, by header name. */
  values: Map<string, string>
}

const purposeOf = (webhookId: string) => `webhook ${webhookId}`

export const seal = ({ encryptionKeys }: Secrets, webhookId: string, { keys, values }: Sealed): string =>
  createKeyring(encryptionKeys).seal(JSON.stringify({ keys, values: [...values] }), purposeOf(webhookId))

/**
 * Decrypts the values of a webhook. Returns no keys and no values if the installation's encryption key was lost.
 * Requests are then unsigned.
 */
export function openSealed(
  { encryptionKeys }: Secrets,
  { id, sealed }: { id: string; sealed: string },
): Sealed {
  const opened = createKeyring(encryptionKeys).open(sealed, purposeOf(id))
  if (opened === null) return { keys: [], values: new Map() }
  const { keys, values } = JSON.parse(opened) as { keys: string[]; values: [string, string][] }
  return { keys, values: new Map(values) }
}
