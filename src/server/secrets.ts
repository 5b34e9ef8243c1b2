import { hkdfSync, randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { isEncryptionKey } from '#server/lib/keyring.ts'
import { StartupError } from '#server/lib/startup-error.ts'
import { type Config, type Secrets, sessionKeySchema } from './config.ts'

const keptSecrets = z.object({
  sessionKey: sessionKeySchema,
  encryptionKeys: z.array(z.string().refine(isEncryptionKey)).min(1).optional(),
})

/**
 * Loads the installation's secrets: from the environment, otherwise from `secrets.json` in the data directory. Creates
 * this file (mode 0600) if it is missing and the environment does not provide all keys. If the environment provides an
 * encryption key, the file's encryption keys are still used to decrypt. Throws a `StartupError` if the file cannot be
 * read or created.
 */
export async function loadSecrets(config: Config): Promise<Secrets> {
  const path = join(config.dataDir, 'secrets.json')
  try {
    const needsFile = !config.sessionKey || config.encryptionKeys.length === 0
    const text =
      (await readIfThere(path)) ?? (needsFile ? await createSecrets(path, config.sessionKey) : undefined)
    const kept = text === undefined ? undefined : parseSecrets(text, path)
    const key = config.sessionKey ?? kept?.sessionKey ?? ''
    let keptKeys = kept?.encryptionKeys ?? []
    if (keptKeys.length === 0 && config.encryptionKeys.length === 0) {
      keptKeys = [firstEncryptionKey(key)]
      await replaceSecrets(path, { ...kept, encryptionKeys: keptKeys })
    }
    return { sessionKey: key, encryptionKeys: [...new Set([...config.encryptionKeys, ...keptKeys])] }
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`Cannot read or create ${path}: ${error instanceof Error ? error.message : error}`)
  }
}

/**
 * Derives the first encryption key from the session key, so that concurrent processes derive the same key. It is stored
 * afterwards, so that the session key may change.
 */
function firstEncryptionKey(key: string): string {
  return Buffer.from(hkdfSync('sha256', key, '', 'imori encryption key', 32)).toString('base64')
}

function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}

function parseSecrets(text: string, path: string): z.output<typeof keptSecrets> {
  try {
    return keptSecrets.parse(JSON.parse(text))
  } catch {
    throw new StartupError(
      `${path} is damaged: restore it, or delete it (then everyone must sign in again, and the keys of external storages must be entered again)`,
    )
  }
}

async function writeDraft(path: string, secrets: object): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${JSON.stringify(secrets)}\n`, { mode: 0o600, flush: true })
  await chmod(draft, 0o600)
  return draft
}

/**
 * Creates the file and returns its text. Hosts with a common session key but no common encryption keys create the same
 * first encryption key.
 */
async function createSecrets(path: string, given: string | undefined): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  const made = randomBytes(32).toString('base64url')
  const draft = await writeDraft(path, {
    sessionKey: made,
    encryptionKeys: [firstEncryptionKey(given ?? made)],
  })
  try {
    // link() fails if another process was first, so that all processes use the same key.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(path, 'utf8')
}

/** Replaces the file atomically. */
async function replaceSecrets(path: string, secrets: object): Promise<void> {
  const draft = await writeDraft(path, secrets)
  try {
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}
