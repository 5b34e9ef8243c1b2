import { startS3Server } from '../test/s3-server/server.ts'

/**
 * Opens the storage for the Imori of a test: the disk or, with `E2E_STORAGE=s3`, the bucket of a small S3 server that
 * verifies signatures. `env`: settings for Imori.
 */
export async function openStorage(): Promise<{
  isBucket: boolean
  env: Record<string, string>
  close(): Promise<void>
}> {
  if (process.env.E2E_STORAGE !== 's3') return { isBucket: false, env: {}, close: async () => {} }
  const { location, credentials, close } = await startS3Server()
  const env = {
    IMORI_S3_BUCKET: location.bucket,
    IMORI_S3_REGION: location.region,
    IMORI_S3_ENDPOINT: location.endpoint,
    IMORI_S3_STYLE: location.style,
    IMORI_S3_ACCESS_KEY_ID: credentials.accessKeyId,
    IMORI_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
  return { isBucket: true, env, close }
}
