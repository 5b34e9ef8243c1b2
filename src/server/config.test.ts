import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from './config.ts'

test('an empty environment results in the default configuration', () => {
  expect(loadConfig({})).toEqual({
    port: 3000,
    host: '127.0.0.1',
    dataDir: join(process.cwd(), 'data'),
    url: 'http://localhost:3000',
    adminOrigins: null,
    domain: undefined,
    databaseUrl: undefined,
    signup: undefined,
    mail: { url: undefined, logged: false, from: { name: 'Imori', address: 'imori@localhost' } },
    trustProxy: 0,
    logLevel: 'info',
    role: 'all',
    jobs: 4,
    connections: { management: 10, delivery: 8, jobs: 14 },
    map: {
      tiles: 'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
      attribution: '© OpenStreetMap contributors',
    },
    transformCache: 1024 ** 3,
    sessionKey: undefined,
    encryptionKeys: [],
    storage: { s3: undefined, diskReserve: undefined },
    outgoing: {
      privateOrigins: { bucket: [], storage: [], sso: [], webhooks: [], imports: [], embeds: [] },
      ports: [],
      nameServers: [],
    },
  })
})

test('IMORI_JOBS=1 and IMORI_JOB_CONNECTIONS=2 are raised to 2 and 3', () => {
  expect(loadConfig({ IMORI_JOBS: '1', IMORI_JOB_CONNECTIONS: '2' })).toMatchObject({
    jobs: 2,
    connections: { jobs: 3 },
  })
})

test('empty variables count as unset, and the default URL contains the configured port', () => {
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
  ['IMORI_ADMIN_ORIGINS', 'https://a.example, b.example', /^IMORI_ADMIN_ORIGINS\.1 must be an origin/],
  ['IMORI_DOMAIN', 'exa mple', /^IMORI_DOMAIN must be a host name$/],
  ['IMORI_LOG_LEVEL', 'loud', /^IMORI_LOG_LEVEL must be fatal/],
  ['IMORI_ROLE', 'boss', /^IMORI_ROLE must be all, web or worker$/],
  ['IMORI_JOBS', '0', /^IMORI_JOBS must be a whole number from 1 to 64$/],
  ['IMORI_JOB_CONNECTIONS', '4', /^IMORI_JOB_CONNECTIONS must be greater than IMORI_JOBS$/],
  ['IMORI_SESSION_KEY', 'short', /^IMORI_SESSION_KEY must have at least 32/],
  ['IMORI_ENCRYPTION_KEYS', 'short', /^IMORI_ENCRYPTION_KEYS\.0 must be keys of 32 bytes/],
  ['IMORI_S3_STYLE', 'x', /^IMORI_S3_STYLE must be path or host$/],
  ['IMORI_NAME_SERVERS', '192.0.2.53, dns.example', /^IMORI_NAME_SERVERS\.1 must be addresses/],
  ['IMORI_PRIVATE_STORAGES', 'minio', /^IMORI_PRIVATE_STORAGES\.0 must be an origin/],
  ['IMORI_WEBHOOK_ORIGINS', 'http://*.local', /^IMORI_WEBHOOK_ORIGINS\.0 must be an origin/],
  ['IMORI_WEBHOOK_ORIGINS', 'http://:secret@ci.local', /^IMORI_WEBHOOK_ORIGINS\.0 must be an origin/],
  ['IMORI_IMPORT_ORIGINS', 'http://a.local,', /^IMORI_IMPORT_ORIGINS\.1 must be an origin/],
  ['IMORI_EMBED_ORIGINS', 'ftp://a.local', /^IMORI_EMBED_ORIGINS\.0 must be an origin/],
  ['IMORI_SSO_ORIGINS', Array(101).fill('http://a.local').join(), /^IMORI_SSO_ORIGINS must have at most 100/],
  ['IMORI_OUTGOING_PORTS', '0', /^IMORI_OUTGOING_PORTS\.0 must be a whole number from 1 to 65535$/],
  ['IMORI_OUTGOING_PORTS', '8443, 65536', /^IMORI_OUTGOING_PORTS\.1 must be a whole number/],
  ['IMORI_OUTGOING_PORTS', Array(21).fill('81').join(), /^IMORI_OUTGOING_PORTS must have at most 20 values$/],
  ['IMORI_MAP_TILES', 'https://tiles.example/{z}/{x}.png', /^IMORI_MAP_TILES must be an https address/],
  ['IMORI_MAP_TILES', 'http://tiles.example/{z}/{x}/{y}.png', /^IMORI_MAP_TILES must be an https address/],
  ['IMORI_SIGNUP', 'yes', /^IMORI_SIGNUP must be invited, open or closed$/],
  ['IMORI_SPACE_CREATION', 'yes', /^IMORI_SPACE_CREATION must be admins or everyone$/],
  ['IMORI_MAIL_FROM', 'Imori <cms>', /^IMORI_MAIL_FROM must be an email address/],
  ['IMORI_MAIL_FROM', 'Imori <a@b.example>\nBcc: c@d.example', /^IMORI_MAIL_FROM must be an email address/],
  ['IMORI_DISK_RESERVE', '-1', /^IMORI_DISK_RESERVE must be a whole number/],
  ['DATABASE_URL', 'mysql://x', /^DATABASE_URL must be a URL beginning with postgres/],
])('%s=%j is rejected with an error that names the variable', (name, value, message) => {
  expect(() => loadConfig({ [name]: value })).toThrow(message)
})

test('two invalid variables are reported together in one line', () => {
  expect(() => loadConfig({ IMORI_PORT: 'x', IMORI_TRUST_PROXY: '-1' })).toThrow(
    /^IMORI_PORT .*; IMORI_TRUST_PROXY .*$/,
  )
})

test('an unknown IMORI_ variable is reported', () => {
  const lines: string[] = []
  loadConfig({ IMORI_PROT: '1', IMORI_PORT: '2', PATH: '/' }, (line) => lines.push(line))
  expect(lines).toEqual(['Unknown setting IMORI_PROT is ignored'])
})

const s3 = {
  IMORI_S3_BUCKET: 'media',
  IMORI_S3_REGION: 'ap-northeast-1',
  IMORI_S3_ACCESS_KEY_ID: 'AKIA',
  IMORI_S3_SECRET_ACCESS_KEY: 'a/b+c',
}

test('the S3 settings are read, with Amazon S3 as the default endpoint', () => {
  expect(loadConfig(s3).storage.s3).toEqual({
    location: {
      endpoint: 'https://s3.ap-northeast-1.amazonaws.com',
      region: 'ap-northeast-1',
      bucket: 'media',
      prefix: '',
      style: 'host',
    },
    credentials: { accessKeyId: 'AKIA', secretAccessKey: 'a/b+c' },
  })
  const own = { IMORI_S3_ENDPOINT: 'http://minio:9000/', IMORI_S3_PREFIX: '/cms/media/' }
  expect(loadConfig({ ...s3, ...own }).storage.s3?.location).toMatchObject({
    endpoint: 'http://minio:9000',
    prefix: 'cms/media/',
    style: 'path',
  })
})

test('each purpose of outgoing HTTP has its own list of private origins', () => {
  const { outgoing } = loadConfig({
    ...s3,
    IMORI_S3_ENDPOINT: 'http://minio:9000',
    IMORI_PRIVATE_STORAGES: 'http://nas.local:9000/, HTTPS://NAS.local:443',
    IMORI_SSO_ORIGINS: 'http://idp.local',
    IMORI_WEBHOOK_ORIGINS: 'http://build.local:8080',
    IMORI_IMPORT_ORIGINS: 'http://wiki.local',
    IMORI_EMBED_ORIGINS: 'https://video.local:8443',
    IMORI_OUTGOING_PORTS: '8443, 8080',
  })
  expect(outgoing).toEqual({
    privateOrigins: {
      bucket: ['http://minio:9000'],
      storage: ['http://nas.local:9000', 'https://nas.local'],
      sso: ['http://idp.local'],
      webhooks: ['http://build.local:8080'],
      imports: ['http://wiki.local'],
      embeds: ['https://video.local:8443'],
    },
    ports: [8443, 8080],
    nameServers: [],
  })
})

test('incomplete or invalid S3 settings are refused with the names of the variables', () => {
  expect(() => loadConfig({ IMORI_S3_BUCKET: 'media' })).toThrow(
    /^IMORI_S3_ACCESS_KEY_ID, IMORI_S3_SECRET_ACCESS_KEY is missing or invalid$/,
  )
  expect(() =>
    loadConfig({ ...s3, IMORI_S3_ENDPOINT: 'http://10.0.0.1:9000', IMORI_S3_STYLE: 'host' }),
  ).toThrow(/^IMORI_S3_STYLE must be path/)
  expect(() => loadConfig({ ...s3, IMORI_S3_BUCKET: 'Media!' })).toThrow(/^IMORI_S3_BUCKET is missing or/)
  expect(() => loadConfig({ ...s3, IMORI_S3_ENDPOINT: 'minio:9000' })).toThrow(
    /^IMORI_S3_ENDPOINT is missing or/,
  )
})
