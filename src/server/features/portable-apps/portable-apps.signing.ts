import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { fingerprint, type SigningKey } from '#archive/signature.ts'
import type { ServerContext } from '#server/access/context.ts'
import type { Db } from '#server/db/scope.ts'
import { createKeyring } from '#server/lib/keyring.ts'

const purpose = 'archive key'

/** The key that signs this installation's archives; made, and kept sealed, when there is none that can be opened. */
export async function signingKey({ db, services }: ServerContext): Promise<SigningKey> {
  const keyring = createKeyring(services.secrets.encryptionKeys)
  const rows = await db.selectFrom('archive_key').selectAll().orderBy('created_at', 'desc').execute()
  for (const { public_key: publicKey, private_key: sealed } of rows) {
    const opened = keyring.open(sealed, purpose)
    if (opened !== null) return { publicKey, privateKey: createPrivateKey(opened) }
  }
  const pair = generateKeyPairSync('ed25519')
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const secret = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  await db
    .insertInto('archive_key')
    .values({
      fingerprint: fingerprint(publicKey),
      public_key: publicKey,
      private_key: keyring.seal(secret, purpose),
    })
    .execute()
  return { publicKey, privateKey: pair.privateKey }
}

/** Has this installation signed with the key of this fingerprint? */
export async function isOwnKey(db: Db, key: string): Promise<boolean> {
  const row = await db
    .selectFrom('archive_key')
    .select('fingerprint')
    .where('fingerprint', '=', key)
    .executeTakeFirst()
  return row !== undefined
}
