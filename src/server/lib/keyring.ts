import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** Length of a key in bytes. Keys are written as base64 or base64url. */
const keyLength = 32
const ivLength = 12
const tagLength = 16

/**
 * Encrypts secrets that must be recoverable (of storages, mail servers, …), so that the database and its
 * backups do not reveal them.
 */
export interface Keyring {
  /** Encrypts a text. `purpose` identifies the use: a text sealed for one purpose cannot be opened for another. */
  seal(text: string, purpose: string): string
  /** Decrypts a text. `null`: sealed with an unknown key or for another purpose, or damaged. */
  open(sealed: string, purpose: string): string | null
}

export function isEncryptionKey(text: string): boolean {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && Buffer.from(text, 'base64').length === keyLength
}

/**
 * Creates a keyring with AES-256-GCM. The first key seals, all keys open. The sealed text begins with the id of its
 * key.
 */
export function createKeyring(keys: readonly string[]): Keyring {
  const byId = new Map(
    keys.map((text) => {
      const key = Buffer.from(text, 'base64')
      return [createHash('sha256').update(key).digest('hex').slice(0, 8), key]
    }),
  )
  return {
    seal(text, purpose) {
      const [first] = byId
      if (!first) throw new Error('A keyring without a key seals nothing')
      const [id, key] = first
      const iv = randomBytes(ivLength)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose))
      const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${id}.${sealed.toString('base64url')}`
    },
    open(sealed, purpose) {
      const [id = '', text = ''] = sealed.split('.')
      const key = byId.get(id)
      const bytes = Buffer.from(text, 'base64url')
      if (!key || bytes.length < ivLength + tagLength) return null
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivLength))
          .setAAD(Buffer.from(purpose))
          .setAuthTag(bytes.subarray(-tagLength))
        const opened = [decipher.update(bytes.subarray(ivLength, -tagLength)), decipher.final()]
        return Buffer.concat(opened).toString('utf8')
      } catch {
        return null
      }
    },
  }
}
