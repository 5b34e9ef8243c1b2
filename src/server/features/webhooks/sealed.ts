import type { Secrets } from '#server/config.ts'
import { createKeyring } from '#server/lib/keyring.ts'

/** What is stored encrypted of a webhook. */
export interface Sealed {
  /** Signing keys, the present one first; the second is the former one. */
  keys: string[]
  /** Values of secret headers by their names. */
  values: Map<string, string>
}

const purposeOf = (webhookId: string) => `webhook ${webhookId}`

export const seal = ({ encryptionKeys }: Secrets, webhookId: string, { keys, values }: Sealed): string =>
  createKeyring(encryptionKeys).seal(JSON.stringify({ keys, values: [...values] }), purposeOf(webhookId))

/** Without a key and values when the installation's encryption key was lost: requests then go unsigned. */
export function openSealed(
  { encryptionKeys }: Secrets,
  { id, sealed }: { id: string; sealed: string },
): Sealed {
  const opened = createKeyring(encryptionKeys).open(sealed, purposeOf(id))
  if (opened === null) return { keys: [], values: new Map() }
  const { keys, values } = JSON.parse(opened) as { keys: string[]; values: [string, string][] }
  return { keys, values: new Map(values) }
}
