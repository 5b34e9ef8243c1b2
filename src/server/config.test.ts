import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig, loadSecrets } from './config.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'imori-config-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

test('everything has a default', () => {
  expect(loadConfig({})).toEqual({
    port: 3000,
    host: '127.0.0.1',
    dataDir: join(process.cwd(), 'data'),
    url: 'http://localhost:3000',
    domain: undefined,
    databaseUrl: undefined,
    smtpUrl: undefined,
    trustProxy: 0,
    logLevel: 'info',
    role: 'all',
    jobs: 4,
    connections: { management: 10, delivery: 8, jobs: 10 },
    sessionKey: undefined,
  })
})

test('an empty variable counts as unset and the default URL follows the port', () => {
  expect(loadConfig({ IMORI_PORT: '8080', IMORI_DOMAIN: '', DATABASE_URL: '' })).toMatchObject({
    url: 'http://localhost:8080',
    domain: undefined,
    databaseUrl: undefined,
  })
})

test.each([
  ['IMORI_PORT', '0', /^IMORI_PORT must be a whole number from 1 to 65535$/],
  ['IMORI_PORT', '3e3', /IMORI_PORT/],
  ['IMORI_URL', 'cms.example.com', /^IMORI_URL must be an origin/],
  ['IMORI_URL', 'https://example.com/cms', /^IMORI_URL must be an origin/],
  ['IMORI_DOMAIN', 'exa mple', /^IMORI_DOMAIN must be a host name$/],
  ['IMORI_LOG_LEVEL', 'loud', /^IMORI_LOG_LEVEL must be fatal/],
  ['IMORI_ROLE', 'boss', /^IMORI_ROLE must be all, web or worker$/],
  ['IMORI_JOBS', '0', /^IMORI_JOBS must be a whole number from 1 to 64$/],
  ['IMORI_JOB_CONNECTIONS', '4', /^IMORI_JOB_CONNECTIONS must be greater than IMORI_JOBS$/],
  ['IMORI_SESSION_KEY', 'short', /^IMORI_SESSION_KEY must have at least 32/],
  ['DATABASE_URL', 'mysql://x', /^DATABASE_URL must be a URL beginning with postgres/],
])('%s=%s is refused in one line', (name, value, message) => {
  expect(() => loadConfig({ [name]: value })).toThrow(message)
})

test('every fault is named in one line', () => {
  expect(() => loadConfig({ IMORI_PORT: 'x', IMORI_TRUST_PROXY: '-1' })).toThrow(
    /^IMORI_PORT .*; IMORI_TRUST_PROXY .*$/,
  )
})

test('unknown IMORI_ variables are named', () => {
  const lines: string[] = []
  loadConfig({ IMORI_PROT: '1', IMORI_PORT: '2', PATH: '/' }, (line) => lines.push(line))
  expect(lines).toEqual(['Unknown setting IMORI_PROT is ignored'])
})

test('the session key is made once, is private, and two first starts agree', async () => {
  const config = loadConfig({ IMORI_DATA: dataDir })
  const [a, b] = await Promise.all([loadSecrets(config), loadSecrets(config)])
  expect(a.sessionKey.length).toBeGreaterThanOrEqual(43)
  expect(b).toEqual(a)
  expect(await loadSecrets(config)).toEqual(a)
  expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'))).toEqual(a)
})

test('a key from the environment is used and nothing is written', async () => {
  const key = 'k'.repeat(32)
  expect(await loadSecrets(loadConfig({ IMORI_DATA: dataDir, IMORI_SESSION_KEY: key }))).toEqual({
    sessionKey: key,
  })
  await expect(stat(join(dataDir, 'secrets.json'))).rejects.toThrow('ENOENT')
})

test('a damaged secrets file is refused, never replaced', async () => {
  await writeFile(join(dataDir, 'secrets.json'), '{"sess')
  await expect(loadSecrets(loadConfig({ IMORI_DATA: dataDir }))).rejects.toThrow(/secrets\.json is damaged/)
})
