import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { isEncryptionKey } from '#server/lib/keyring.ts'
import { StartupError } from '#server/lib/startup-error.ts'
import {
  type SignupConfirmation,
  type SignupMode,
  type SpaceCreation,
  signupConfirmations,
  signupModes,
  spaceCreations,
} from '#shared/sign-up.ts'
import {
  type S3Credentials,
  type S3Location,
  s3CredentialsSchema,
  s3LocationSchema,
} from '#shared/storage.ts'

/** Purpose of outgoing HTTP requests. Each purpose has its own list of private origins. */
export type OutgoingPurpose =
  /** Requests to the operator's bucket for files. */
  | 'bucket'
  /** Requests to buckets of spaces. */
  | 'storage'
  /** Requests to identity providers of spaces. */
  | 'sso'
  | 'webhooks'
  /** Uploads from a URL, archives that are imported from a URL, and files that exports of other services name. */
  | 'imports'
  /** Requests for pages that users embed, and to their oEmbed endpoints. */
  | 'embeds'

export const roles = ['all', 'web', 'worker'] as const
export type Role = (typeof roles)[number]

/** The configuration from the environment, parsed once. Optional settings that are not set are `undefined`. */
export type Config = {
  port: number
  host: string
  /** Absolute path of the folder that contains the embedded database, local files and secrets. */
  dataDir: string
  /** Public origin, without a trailing slash: `https://cms.example.com`. */
  url: string
  /**
   * Origins whose pages may make changes, including `url`. `null`: none is configured, so pages of `url` and pages
   * whose host equals the `Host` header of the request may make changes.
   */
  adminOrigins: readonly string[] | null
  /** Wildcard domain of the delivery hosts: `{space}.cdn.{domain}` and `{space}.api.{domain}`. */
  domain: string | undefined
  databaseUrl: string | undefined
  /** Policy for creating accounts. `undefined`: the installation's admins decide. */
  signup: SignupMode | undefined
  /**
   * Whether the address of a new account is confirmed before or after the account is created. `undefined`: the
   * installation's admins decide.
   */
  signupConfirmation: SignupConfirmation | undefined
  /** Users who may create spaces. `undefined`: the installation's admins decide. */
  spaceCreation: SpaceCreation | undefined
  mail: {
    /** URL of the SMTP server. `undefined`: mails are stored instead, and the installation's admins can read them. */
    url: string | undefined
    /** Whether stored mails are also written to the log. Their links grant access like a password. */
    logged: boolean
    from: { name: string; address: string }
  }
  /** Number of reverse proxies whose X-Forwarded-* headers are trusted. */
  trustProxy: number
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** `web`: only responds to requests; `worker`: only runs jobs and reads the outbox; `all`: both. */
  role: Role
  /** Maximum number of concurrent jobs in a worker. */
  jobs: number
  connections: { management: number; delivery: number; jobs: number }
  /**
   * Tiles of the admin's maps, and their attribution. `tiles` is a URL with the placeholders `{z}`, `{x}` and `{y}`, or
   * `null` for no tiles.
   */
  map: { tiles: string | null; attribution: string }
  /** Maximum bytes of transformed pictures on disk. */
  transformCache: number
  /** The session key from the environment. If it is not set, `loadSecrets` stores one on disk. */
  sessionKey: string | undefined
  encryptionKeys: string[]
  /** Settings of outgoing HTTP and DNS (`outgoing.ts`). */
  outgoing: {
    /** Origins in private networks, on plain http or on other ports that requests of a purpose may reach. */
    privateOrigins: Readonly<Record<OutgoingPurpose, readonly string[]>>
    /** Ports of public hosts that requests may reach, in addition to 80 and 443. */
    ports: readonly number[]
    /** DNS servers for record lookups. Empty: the DNS servers of the system. */
    nameServers: readonly string[]
  }
  storage: {
    /** The bucket for files. `undefined`: files are stored on the local disk. */
    s3: { location: S3Location; credentials: S3Credentials } | undefined
    /** Bytes that must stay free on the local disk. `undefined`: a default that depends on the size of the disk. */
    diskReserve: number | undefined
  }
}

/**
 * Keys of this installation. `sessionKey` has at least 32 characters. The first of `encryptionKeys` (lib/keyring.ts)
 * encrypts, all of them decrypt.
 */
export type Secrets = { sessionKey: string; encryptionKeys: string[] }

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((n) => n >= min && n <= max, message)
}

export const sessionKeySchema = z.string().min(32, 'must have at least 32 characters')

const origin = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    !url.search &&
    !url.hash &&
    !url.username &&
    !url.password &&
    !url.hostname.includes('*')
  )
    return url.origin
  context.addIssue('must be an origin such as https://cms.example.com, without a path')
  return z.NEVER
})

/** An IP address with or without a port: `192.0.2.53`, `192.0.2.53:5353`, `[2001:db8::53]:5353`. */
const nameServer = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 || isIP(/^\[?([^\]]*?)\]?:\d{1,5}$/.exec(text)?.[1] ?? '') !== 0,
    'must be addresses of name servers',
  )

const listOf = <T>(item: z.ZodType<T, string>, max = 100) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item).max(max, `must have at most ${max} values`))

const encryptionKey = z
  .string()
  .refine(
    isEncryptionKey,
    'must be keys of 32 bytes in base64, separated by commas (openssl rand -base64 32)',
  )

const urlOf = (protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL beginning with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    )

/** `Imori <cms@example.com>`, or only the e-mail address. */
const sender = z.string().transform((text, context) => {
  const [, name = '', named, alone] =
    /^(?:([^<>"\r\n]{0,100}?)\s*<([^\s<>@]+@[^\s<>@]+)>|([^\s<>@]+@[^\s<>@]+))$/.exec(text.trim()) ?? []
  const address = named ?? alone
  if (address) return { name, address }
  context.addIssue('must be an email address such as Imori <cms@example.com>')
  return z.NEVER
})

const mapTiles = z
  .string()
  .refine(
    (text) =>
      text === 'off' ||
      (/^https:\/\/[^\s?#]+/.test(text) && ['{z}', '{x}', '{y}'].every((part) => text.includes(part))),
    'must be an https address with {z}, {x} and {y}, or off',
  )

const environment = z.object({
  IMORI_PORT: wholeNumber(1, 65535).default(3000),
  IMORI_HOST: z.string().default('127.0.0.1'),
  IMORI_DATA: z.string().default('./data'),
  IMORI_URL: origin.optional(),
  IMORI_ADMIN_ORIGINS: listOf(origin).optional(),
  IMORI_DOMAIN: z
    .string()
    .toLowerCase()
    .max(200, 'is too long')
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, 'must be a host name')
    .optional(),
  IMORI_SMTP_URL: urlOf(['smtp:', 'smtps:']).optional(),
  IMORI_MAIL_FROM: sender.optional(),
  IMORI_LOG_MAILS: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
  IMORI_SIGNUP: z.enum(signupModes, { error: 'must be invited, open or closed' }).optional(),
  IMORI_SIGNUP_CONFIRMATION: z.enum(signupConfirmations, { error: 'must be after or before' }).optional(),
  IMORI_SPACE_CREATION: z.enum(spaceCreations, { error: 'must be admins or everyone' }).optional(),
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
  IMORI_MAP_TILES: mapTiles.default('https://tile.openstreetmap.org/{z}/{x}/{y}.png'),
  IMORI_MAP_ATTRIBUTION: z.string().max(300, 'is too long').default('© OpenStreetMap contributors'),
  IMORI_SESSION_KEY: sessionKeySchema.optional(),
  IMORI_ENCRYPTION_KEYS: listOf(encryptionKey).optional(),
  IMORI_S3_BUCKET: z.string().optional(),
  IMORI_S3_REGION: z.string().optional(),
  IMORI_S3_ENDPOINT: z.string().optional(),
  IMORI_S3_PREFIX: z.string().optional(),
  IMORI_S3_STYLE: z.enum(['path', 'host'], { error: 'must be path or host' }).optional(),
  IMORI_S3_ACCESS_KEY_ID: z.string().optional(),
  IMORI_S3_SECRET_ACCESS_KEY: z.string().optional(),
  IMORI_PRIVATE_STORAGES: listOf(origin).optional(),
  IMORI_SSO_ORIGINS: listOf(origin).optional(),
  IMORI_WEBHOOK_ORIGINS: listOf(origin).optional(),
  IMORI_IMPORT_ORIGINS: listOf(origin).optional(),
  IMORI_EMBED_ORIGINS: listOf(origin).optional(),
  IMORI_OUTGOING_PORTS: listOf(wholeNumber(1, 65535), 20).optional(),
  IMORI_NAME_SERVERS: listOf(nameServer).optional(),
  IMORI_DISK_RESERVE: wholeNumber(0, 10_000_000).optional(),
  DATABASE_URL: urlOf(['postgres:', 'postgresql:']).optional(),
})

/**
 * Returns the operator's bucket. `undefined` if none of its variables is set. Throws a `StartupError` if they are
 * incomplete or invalid.
 */
function readS3(values: z.output<typeof environment>): Config['storage']['s3'] {
  const set = Object.entries(values).filter(([name, value]) => name.startsWith('IMORI_S3_') && value)
  if (set.length === 0) return undefined
  const region = values.IMORI_S3_REGION ?? 'us-east-1'
  const endpoint = values.IMORI_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`
  const given = {
    endpoint,
    region,
    bucket: values.IMORI_S3_BUCKET ?? '',
    prefix: values.IMORI_S3_PREFIX ?? '',
    // Amazon requires `host` for new buckets. Other services often support only `path`.
    style: values.IMORI_S3_STYLE ?? (endpoint.endsWith('.amazonaws.com') ? 'host' : 'path'),
    accessKeyId: values.IMORI_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: values.IMORI_S3_SECRET_ACCESS_KEY ?? '',
  }
  const parsed = z.strictObject({ ...s3LocationSchema.shape, ...s3CredentialsSchema.shape }).safeParse(given)
  if (!parsed.success) {
    const names = parsed.error.issues.map(
      ({ path }) =>
        `IMORI_S3_${path
          .join('')
          .replace(/[A-Z]/g, (letter) => `_${letter}`)
          .toUpperCase()}`,
    )
    throw new StartupError(`${[...new Set(names)].join(', ')} is missing or invalid`)
  }
  const { accessKeyId, secretAccessKey, ...location } = parsed.data
  if (location.style === 'host' && isIP(new URL(location.endpoint).hostname.replace(/^\[|\]$/g, '')))
    throw new StartupError('IMORI_S3_STYLE must be path if IMORI_S3_ENDPOINT is an IP address')
  return { location, credentials: { accessKeyId, secretAccessKey } }
}

/**
 * Reads the configuration from environment variables. An empty variable counts as unset. Throws a one-line
 * `StartupError` that names the invalid variables. Reports unknown IMORI_* names to `warn`.
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
  // One slot is always reserved for short jobs.
  const jobs = Math.max(2, values.IMORI_JOBS)
  // A handler uses a transaction, and a second connection to report progress. Network jobs share the other ones.
  const jobConnections = values.IMORI_JOB_CONNECTIONS ?? 2 * jobs + 6
  if (jobConnections <= values.IMORI_JOBS)
    throw new StartupError('IMORI_JOB_CONNECTIONS must be greater than IMORI_JOBS')
  const s3 = readS3(values)
  const url = values.IMORI_URL ?? `http://localhost:${values.IMORI_PORT}`
  return {
    port: values.IMORI_PORT,
    host: values.IMORI_HOST,
    dataDir: resolve(values.IMORI_DATA),
    url,
    adminOrigins:
      values.IMORI_URL || values.IMORI_ADMIN_ORIGINS ? [url, ...(values.IMORI_ADMIN_ORIGINS ?? [])] : null,
    domain: values.IMORI_DOMAIN,
    databaseUrl: values.DATABASE_URL,
    signup: values.IMORI_SIGNUP,
    signupConfirmation: values.IMORI_SIGNUP_CONFIRMATION,
    spaceCreation: values.IMORI_SPACE_CREATION,
    mail: {
      url: values.IMORI_SMTP_URL,
      logged: values.IMORI_LOG_MAILS === 'true',
      from: values.IMORI_MAIL_FROM ?? { name: 'Imori', address: `imori@${new URL(url).hostname}` },
    },
    trustProxy: values.IMORI_TRUST_PROXY,
    logLevel: values.IMORI_LOG_LEVEL,
    role: values.IMORI_ROLE,
    jobs,
    connections: {
      management: values.IMORI_MANAGEMENT_CONNECTIONS,
      delivery: values.IMORI_DELIVERY_CONNECTIONS,
      jobs: Math.max(jobs + 1, jobConnections),
    },
    map: {
      tiles: values.IMORI_MAP_TILES === 'off' ? null : values.IMORI_MAP_TILES,
      attribution: values.IMORI_MAP_ATTRIBUTION,
    },
    transformCache: values.IMORI_TRANSFORM_CACHE * 1024 * 1024,
    sessionKey: values.IMORI_SESSION_KEY,
    encryptionKeys: values.IMORI_ENCRYPTION_KEYS ?? [],
    outgoing: {
      privateOrigins: {
        bucket: s3 ? [s3.location.endpoint] : [],
        storage: values.IMORI_PRIVATE_STORAGES ?? [],
        sso: values.IMORI_SSO_ORIGINS ?? [],
        webhooks: values.IMORI_WEBHOOK_ORIGINS ?? [],
        imports: values.IMORI_IMPORT_ORIGINS ?? [],
        embeds: values.IMORI_EMBED_ORIGINS ?? [],
      },
      ports: values.IMORI_OUTGOING_PORTS ?? [],
      nameServers: values.IMORI_NAME_SERVERS ?? [],
    },
    storage: {
      s3,
      diskReserve:
        values.IMORI_DISK_RESERVE === undefined ? undefined : values.IMORI_DISK_RESERVE * 1024 ** 2,
    },
  }
}
