/**
 * The default values of each service. `{region}` in an endpoint is replaced by the region. Users complete the endpoints
 * of `r2` and `other`.
 */
export const services = {
  amazon: { endpoint: 'https://s3.{region}.amazonaws.com', region: 'ap-northeast-1', style: 'host' },
  google: { endpoint: 'https://storage.googleapis.com', region: 'auto', style: 'path' },
  r2: { endpoint: 'https://ACCOUNT_ID.r2.cloudflarestorage.com', region: 'auto', style: 'path' },
  other: { endpoint: 'https://', region: 'us-east-1', style: 'path' },
} as const

export type Service = keyof typeof services

/** Returns the service that an endpoint belongs to. */
export function serviceOf(endpoint: string): Service {
  if (/^https:\/\/s3[.-][a-z0-9.-]*amazonaws\.com/.test(endpoint)) return 'amazon'
  if (endpoint.startsWith('https://storage.googleapis.com')) return 'google'
  return endpoint.includes('.r2.cloudflarestorage.com') ? 'r2' : 'other'
}

/** Returns the default endpoint of a service in a region. */
export const endpointOf = (service: Service, region: string) =>
  services[service].endpoint.replace('{region}', region)

/** Returns the CORS rule that lets pages of `origin` upload to a bucket, in the service's syntax. */
export function corsRule(service: Service, origin: string): string {
  const rule =
    service === 'google'
      ? { origin: [origin], method: ['PUT'], responseHeader: ['Content-Type'], maxAgeSeconds: 3600 }
      : {
          AllowedOrigins: [origin],
          AllowedMethods: ['PUT'],
          AllowedHeaders: ['content-type'],
          MaxAgeSeconds: 3600,
        }
  return JSON.stringify([rule], null, 2)
}

/**
 * Returns an example of a bucket's URL without its scheme. `style`: whether the bucket is in the path or in the host
 * name.
 */
export function exampleOf(style: 'path' | 'host', endpoint: string, bucket: string): string {
  const host = URL.canParse(endpoint) ? new URL(endpoint).host : 'endpoint'
  const name = bucket || 'bucket'
  return style === 'path' ? `${host}/${name}` : `${name}.${host}`
}
