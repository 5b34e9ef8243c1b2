import { setMaxListeners } from 'node:events'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { HostThrottle } from './host-throttle.ts'
import { NewtApi } from './newt-api.ts'

/** Number of models, each in one view, that are processed concurrently. */
export const modelsAtOnce = 3

/** The app, its credentials, and the network route. */
export interface Access {
  space: string
  app: string
  tokens: { api: string; cdn?: string | undefined }
  assetHosts: readonly string[]
  origin?: string | undefined
  /** Test servers that replace asset hosts: host → origin. */
  hostMap: ReadonlyMap<string, string>
  /** URL of an HTTP proxy for Newt's own hosts, Google's storage host and `assetHosts`. */
  proxy?: string | undefined
  /** Number of concurrent downloads, 1 to 32. */
  concurrency: number
  /** First pause after an error in ms. Default: 500. */
  backoffMs?: number
}

/**
 * Creates the HTTP client and the API client of a run. `close` ends their sockets and pending retries. The returned
 * `signal` is aborted by `close` and by the signal that was passed in.
 */
export function connect(options: Access, onWait: (reason: string, ms: number) => void, signal?: AbortSignal) {
  const { origin, hostMap, space, app, tokens, proxy } = options
  const named = namedOrigins(options)
  const http = createOutgoingHttp({
    allowPrivate: [...named, ...(origin ? [origin] : []), ...hostMap.values()],
    connections: options.concurrency + modelsAtOnce,
    ...(proxy && !origin ? { proxy: { uri: proxy, origins: named } } : {}),
  })
  const closing = new AbortController()
  const ending = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
  // Every request and pause adds a listener, which Node would report as a leak.
  setMaxListeners(0, ending)
  const throttle = new HostThrottle({ baseMs: options.backoffMs ?? 500, onWait, signal: ending })
  const api = new NewtApi({ http, throttle, space, app, origin, tokens, signal: ending })
  const close = () => {
    closing.abort()
    return http.close()
  }
  return { http, throttle, api, signal: ending, close }
}

/**
 * Returns the origins that may resolve to private addresses: Newt's hosts (without `origin` also the hosts of the
 * space), Google's storage host and `assetHosts`. NAT64 and some VPNs map every public host to a private address. The
 * certificate still authenticates the host.
 */
function namedOrigins({ space, assetHosts, origin }: Access): string[] {
  const hosts = origin ? [] : ['api', 'cdn', 'assets'].map((kind) => `${space}.${kind}.newt.so`)
  return [...hosts, 'assets.newt.so', 'storage.googleapis.com', ...assetHosts].map(
    (host) => `https://${host}`,
  )
}

/**
 * Returns the URL from which an asset is fetched. `--map-host` replaces the hosts that it names. `--origin` replaces
 * `assets.newt.so` and its subdomains.
 */
export function locate(url: string, { origin, hostMap }: Pick<Access, 'origin' | 'hostMap'>): string {
  const { host, pathname, search } = new URL(url)
  const mapped = hostMap.get(host)
  if (mapped) return `${mapped}${pathname}${search}`
  if (origin && /(?:^|\.)assets\.newt\.so$/.test(host)) return `${origin}/${host}${pathname}${search}`
  return url
}
