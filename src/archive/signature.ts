import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'
import type { ArchiveSource } from './source.ts'

/**
 * Path of the signature of the manifest's bytes. The signature identifies the writer of an archive; the contents are
 * not trusted more because of it.
 */
export const signaturePath = 'signature.json'

const schema = z.strictObject({
  algorithm: z.literal('Ed25519'),
  /** Base64 of the key as SPKI (DER). */
  publicKey: z.base64().max(200),
  /** Base64. */
  signature: z.base64().max(200),
})

/** Signature state of an archive. `altered`: the signature does not match the manifest, or cannot be read. */
export type Signature = { state: 'none'; key: null } | { state: 'valid' | 'altered'; key: string }

/** Returns the fingerprint of a key: the first 32 hex digits of its SHA-256. */
export const fingerprint = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex').slice(0, 32)

/** Returns the contents of the signature file for a manifest. */
export function signManifest(manifest: Buffer, { publicKey, privateKey }: SigningKey): string {
  const signature = sign(null, manifest, privateKey).toString('base64')
  return `${JSON.stringify({ algorithm: 'Ed25519', publicKey, signature } satisfies z.infer<typeof schema>)}\n`
}

export interface SigningKey {
  /** Base64 of SPKI (DER). */
  publicKey: string
  privateKey: KeyObject
}

/** Reads the signature and verifies it against the bytes of the manifest. */
export async function readSignature(source: ArchiveSource, manifest: Buffer): Promise<Signature> {
  if (!(await source.has(signaturePath))) return { state: 'none', key: null }
  let key = ''
  try {
    const chunks: Buffer[] = []
    for await (const chunk of source.read(signaturePath, 2_000)) chunks.push(chunk)
    const { publicKey, signature } = schema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
    key = fingerprint(publicKey)
    const spki = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    const isRight =
      spki.asymmetricKeyType === 'ed25519' && verify(null, manifest, spki, Buffer.from(signature, 'base64'))
    return { state: isRight ? 'valid' : 'altered', key }
  } catch {
    return { state: 'altered', key }
  }
}
