import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { loadSecrets } from './secrets.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'imori-config-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

test('concurrent first starts create one session key, in a private file', async () => {
  const config = loadConfig({ IMORI_DATA: dataDir })
  const [a, b] = await Promise.all([loadSecrets(config), loadSecrets(config)])
  expect(a.sessionKey.length).toBeGreaterThanOrEqual(43)
  expect(b).toEqual(a)
  expect(await loadSecrets(config)).toEqual(a)
  expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'))).toEqual(a)
})

const encryptionKey = () => randomBytes(32).toString('base64')

test('keys from the environment are used, and no file is written', async () => {
  const key = 'k'.repeat(32)
  const keys = [encryptionKey(), encryptionKey()]
  const env = { IMORI_DATA: dataDir, IMORI_SESSION_KEY: key, IMORI_ENCRYPTION_KEYS: keys.join(', ') }
  expect(await loadSecrets(loadConfig(env))).toEqual({ sessionKey: key, encryptionKeys: keys })
  await expect(stat(join(dataDir, 'secrets.json'))).rejects.toThrow('ENOENT')
})

test('the encryption key is derived from the first session key, and is kept when the session key changes', async () => {
  const other = await mkdtemp(join(tmpdir(), 'imori-config-'))
  const key = 'k'.repeat(32)
  const load = (folder: string, IMORI_SESSION_KEY: string) =>
    loadSecrets(loadConfig({ IMORI_DATA: folder, IMORI_SESSION_KEY }))
  try {
    const first = await load(dataDir, key)
    expect(first).toEqual({ sessionKey: key, encryptionKeys: [expect.stringMatching(/^[\w+/]{43}=$/)] })
    expect(await load(other, key)).toEqual(first)
    expect(await load(dataDir, 'n'.repeat(32))).toEqual({ ...first, sessionKey: 'n'.repeat(32) })
  } finally {
    await rm(other, { recursive: true })
  }
})

test('concurrent starts add one encryption key to a secrets file that has only a session key', async () => {
  const path = join(dataDir, 'secrets.json')
  const sessionKey = 'o'.repeat(43)
  await writeFile(path, `${JSON.stringify({ sessionKey })}\n`, { mode: 0o600 })
  const config = loadConfig({ IMORI_DATA: dataDir })
  const [a, b] = await Promise.all([loadSecrets(config), loadSecrets(config)])
  expect(a.sessionKey).toBe(sessionKey)
  expect(a.encryptionKeys).toHaveLength(1)
  expect(b).toEqual(a)
  expect(await loadSecrets(config)).toEqual(a)
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(a)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(dataDir)).toEqual(['secrets.json'])
})

test('an encryption key from the environment precedes the key on disk', async () => {
  const own = await loadSecrets(loadConfig({ IMORI_DATA: dataDir }))
  const key = encryptionKey()
  const both = await loadSecrets(loadConfig({ IMORI_DATA: dataDir, IMORI_ENCRYPTION_KEYS: key }))
  expect(both).toEqual({ sessionKey: own.sessionKey, encryptionKeys: [key, ...own.encryptionKeys] })
})

test('a damaged secrets file is refused', async () => {
  await writeFile(join(dataDir, 'secrets.json'), '{"sess')
  await expect(loadSecrets(loadConfig({ IMORI_DATA: dataDir }))).rejects.toThrow(/secrets\.json is damaged/)
})
