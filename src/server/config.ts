import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { StartupError } from '#server/lib/startup-error.ts'

export const roles = ['all', 'web', 'worker'] as const
export type Role = (typeof roles)[number]

/** Everything the environment decides, parsed once. Optional settings are `undefined` when unset. */
export type Config = {
  port: number
  host: string
  /** Absolute folder of the database, uploads and secrets. */
  dataDir: string
  /** Public origin, without a trailing slash: `https://cms.example.com`. */
  url: string
  /** Wildcard domain of the delivery hosts: `{space}.cdn.{domain}` and `{space}.api.{domain}`. */
  domain: string | undefined
  databaseUrl: string | undefined
  smtpUrl: string | undefined
  /** Number of reverse proxies in front whose X-Forwarded-* headers are believed. */
  trustProxy: number
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** `web`: only answers requests; `worker`: only runs jobs and reads the outbox; `all`: both. */
  role: Role
  /** How many jobs run at once in a worker. */
  jobs: number
  /** The most connections of each pool. */
  connections: { management: number; delivery: number; jobs: number }
  /** Bytes that transformed pictures may take on the disk. */
  transformCache: number
  /** The session key when the environment gives it; otherwise `loadSecrets` keeps one on disk. */
  sessionKey: string | undefined
}

/** Keys of this installation. `sessionKey` has at least 32 characters. */
export type Secrets = { sessionKey: string }

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((n) => n >= min && n <= max, message)
}

const sessionKey = z.string().min(32, 'must have at least 32 characters')

const origin = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    !url.search &&
    !url.hash &&
    !url.username
  )
    return url.origin
  context.addIssue('must be an origin such as https://cms.example.com, without a path')
  return z.NEVER
})

const urlOf = (protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL beginning with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    )

const environment = z.object({
  IMORI_PORT: wholeNumber(1, 65535).default(3000),
  IMORI_HOST: z.string().default('127.0.0.1'),
  IMORI_DATA: z.string().default('./data'),
  IMORI_URL: origin.optional(),
  IMORI_DOMAIN: z
    .string()
    .toLowerCase()
    .max(200, 'is too long')
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, 'must be a host name')
    .optional(),
  IMORI_SMTP_URL: urlOf(['smtp:', 'smtps:']).optional(),
  IMORI_TRUST_PROXY: wholeNumber(0, 32).default(0),
  IMORI_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
  IMORI_ROLE: z.enum(roles, { error: 'must be all, web or worker' }).default('all'),
  IMORI_JOBS: wholeNumber(1, 64).default(4),
  IMORI_MANAGEMENT_CONNECTIONS: wholeNumber(2, 500).default(10),
  IMORI_DELIVERY_CONNECTIONS: wholeNumber(1, 500).default(8),
  IMORI_JOB_CONNECTIONS: wholeNumber(2, 500).optional(),
  IMORI_TRANSFORM_CACHE: wholeNumber(1, 100_000_000).default(1024),
  IMORI_SESSION_KEY: sessionKey.optional(),
  DATABASE_URL: urlOf(['postgres:', 'postgresql:']).optional(),
})

/**
 * Reads the configuration from environment variables; an empty variable counts as unset.
 * Throws a one-line StartupError naming every bad variable; `warn` hears of unknown IMORI_* names.
 */
export function loadConfig(
  env: NodeJS.ProcessEnv = process.env,
  warn: (line: string) => void = console.warn,
): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value && /^(IMORI_|DATABASE_URL$)/.test(name)),
  )
  for (const name of Object.keys(given))
    if (!Object.hasOwn(environment.shape, name)) warn(`Unknown setting ${name} is ignored`)

  const parsed = environment.safeParse(given)
  if (!parsed.success)
    throw new StartupError(parsed.error.issues.map((i) => `${i.path.join('.')} ${i.message}`).join('; '))
  const values = parsed.data
  // A handler has a transaction and, beside it, a word on its progress.
  const jobConnections = values.IMORI_JOB_CONNECTIONS ?? 2 * values.IMORI_JOBS + 2
  if (jobConnections <= values.IMORI_JOBS)
    throw new StartupError('IMORI_JOB_CONNECTIONS must be greater than IMORI_JOBS')
  return {
    port: values.IMORI_PORT,
    host: values.IMORI_HOST,
    dataDir: resolve(values.IMORI_DATA),
    url: values.IMORI_URL ?? `http://localhost:${values.IMORI_PORT}`,
    domain: values.IMORI_DOMAIN,
    databaseUrl: values.DATABASE_URL,
    smtpUrl: values.IMORI_SMTP_URL,
    trustProxy: values.IMORI_TRUST_PROXY,
    logLevel: values.IMORI_LOG_LEVEL,
    role: values.IMORI_ROLE,
    jobs: values.IMORI_JOBS,
    connections: {
      management: values.IMORI_MANAGEMENT_CONNECTIONS,
      delivery: values.IMORI_DELIVERY_CONNECTIONS,
      jobs: jobConnections,
    },
    transformCache: values.IMORI_TRANSFORM_CACHE * 1024 * 1024,
    sessionKey: values.IMORI_SESSION_KEY,
  }
}

/**
 * The installation's secrets: from the environment, else from `secrets.json` (mode 0600) in the data
 * directory, made at the first start. Throws a StartupError when the file is unusable.
 */
export async function loadSecrets(config: Config): Promise<Secrets> {
  if (config.sessionKey) return { sessionKey: config.sessionKey }
  const path = join(config.dataDir, 'secrets.json')
  try {
    const existing = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    return parseSecrets(existing ?? (await createSecrets(config.dataDir, path)), path)
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`Cannot read or make ${path}: ${error instanceof Error ? error.message : error}`)
  }
}

function parseSecrets(text: string, path: string): Secrets {
  try {
    return z.object({ sessionKey }).parse(JSON.parse(text))
  } catch {
    throw new StartupError(`${path} is damaged: restore it, or remove it (everyone has to log in again)`)
  }
}

async function createSecrets(dataDir: string, path: string): Promise<string> {
  await mkdir(dataDir, { recursive: true })
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const text = `${JSON.stringify({ sessionKey: randomBytes(32).toString('base64url') })}\n`
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true })
    await chmod(draft, 0o600)
    // link() fails when another process was first, so both go on with one and the same key
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(path, 'utf8')
}
