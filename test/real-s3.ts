import type { S3Options } from '#server/storage/s3/requests.ts'
import { s3CredentialsSchema, s3LocationSchema } from '#shared/storage.ts'

/**
 * Returns a real S3 for the tests of the drivers, from
 * `IMORI_TEST_S3=https://KEY:SECRET@endpoint/bucket/prefix?region=…&style=path`. Key and secret are percent-encoded.
 * null: not set.
 */
export function realS3(text = process.env.IMORI_TEST_S3): Pick<S3Options, 'location' | 'credentials'> | null {
  if (!text) return null
  const url = new URL(text)
  const [, bucket, ...prefix] = url.pathname.split('/')
  return {
    location: s3LocationSchema.parse({
      endpoint: url.origin,
      bucket,
      prefix: prefix.join('/'),
      region: url.searchParams.get('region') ?? 'us-east-1',
      style: url.searchParams.get('style') ?? 'path',
    }),
    credentials: s3CredentialsSchema.parse({
      accessKeyId: decodeURIComponent(url.username),
      secretAccessKey: decodeURIComponent(url.password),
    }),
  }
}
