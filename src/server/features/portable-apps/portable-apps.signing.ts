import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { fingerprint, type SigningKey } from '#archive/signature.ts'
import type { ServerContext } from '#server/access/context.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import { insertKey, listKeys } from './archive-keys.repository.ts'

const purpose = 'archive key'

/**
 * Returns the key that signs this installation's archives. If no stored key can be decrypted, creates one and stores it
 * encrypted.
 */
export async function signingKey({ db, services }: ServerContext): Promise<SigningKey> {
  const keyring = createKeyring(services.secrets.encryptionKeys)
  for (const { public_key: publicKey, private_key: sealed } of await listKeys(db)) {
    const opened = keyring.open(sealed, purpose)
    if (opened !== null) return { publicKey, privateKey: createPrivateKey(opened) }
  }
  const pair = generateKeyPairSync('ed25519')
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const secret = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  await insertKey(db, {
    fingerprint: fingerprint(publicKey),
    public_key: publicKey,
    private_key: keyring.seal(secret, purpose),
  })
  return { publicKey, privateKey: pair.privateKey }
}
