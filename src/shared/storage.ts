import { z } from 'zod'

/** The location of a bucket without its credentials, for the environment and for spaces. */
export const s3LocationSchema = z.strictObject({
  /** Origin of the service: `https://s3.ap-northeast-1.amazonaws.com`, `https://storage.googleapis.com`. */
  endpoint: z
    .string()
    .trim()
    .max(300)
    .transform((text, context) => {
      const url = URL.canParse(text) ? new URL(text) : undefined
      const bare = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
      if (bare && /^https?:$/.test(url.protocol)) return url.origin
      context.addIssue({ code: 'custom', message: 'InvalidFormat' })
      return z.NEVER
    }),
  region: z
    .string()
    .trim()
    .regex(/^[a-z0-9-]{1,50}$/, { error: 'InvalidFormat' }),
  bucket: z
    .string()
    .trim()
    .regex(/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/, { error: 'InvalidFormat' })
    .refine((name) => !name.includes('..'), { error: 'InvalidFormat' }),
  /** Prefix of all keys: empty, or path segments. It is stored with a slash at the end. */
  prefix: z
    .string()
    .trim()
    .max(200)
    .transform((text) => text.replace(/^\/+|\/+$/g, ''))
    .refine(
      (text) => text === '' || /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(text),
      {
        error: 'InvalidFormat',
      },
    )
    .transform((text) => (text === '' ? '' : `${text}/`)),
  /** Addressing of the bucket: in the path (`path`), or as a subdomain (`host`). */
  style: z.enum(['path', 'host']),
})
export type S3Location = z.output<typeof s3LocationSchema>

export const s3CredentialsSchema = z.strictObject({
  accessKeyId: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,256}$/, { error: 'InvalidFormat' }),
  secretAccessKey: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,256}$/, { error: 'InvalidFormat' }),
})
export type S3Credentials = z.output<typeof s3CredentialsSchema>

export const storageTroubles = [
  'unreachable',
  'notAllowedAddress',
  'insecure',
  'slow',
  'busy',
  'notS3',
  'noSuchBucket',
  'accessDenied',
  'publicWrite',
  'unknownKey',
  'wrongSecret',
  'wrongRegion',
  'clock',
  'full',
  'unreadableSecret',
  'differentContent',
  'other',
] as const
export type StorageTrouble = (typeof storageTroubles)[number]
