import { setMaxListeners } from 'node:events'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { HostThrottle } from './host-throttle.ts'
import { NewtApi } from './newt-api.ts'

/** Models read at the same time; each reads its pages one after the other. */
export const modelsAtOnce = 3

/** Which app, with what rights, and by which way. */
export interface Access {
  space: string
  app: string
  tokens: { api: string; cdn?: string | undefined }
  assetHosts: readonly string[]
  origin?: string | undefined
  /** Test servers standing in for asset hosts: host → origin. */
  hostMap: ReadonlyMap<string, string>
  /** Address of an HTTP proxy for Newt's own hosts and `assetHosts`. */
  proxy?: string | undefined
  /** Downloads at the same time, 1 to 32. */
  concurrency: number
  /** First pause after an error in ms; 500 unless a test hurries. */
  backoffMs?: number
}

/**
 * Makes the HTTP gate and the API client for a run; `close` ends its sockets and whatever still waits to try
 * again. `signal` tells of both that and the person's own wish to stop.
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
  // Every request and every pause listens; Node would warn of a leak.
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
 * The hosts the person himself named: Newt's own and the space's storage. They may have any address and port,
 * for in networks with NAT64 or a VPN that answers names itself every public host has a private one; whoever
 * answers there must still prove by its certificate that it is that host.
 */
function namedOrigins({ space, assetHosts, origin }: Access): string[] {
  const hosts = origin ? [] : ['api', 'cdn', 'assets'].map((kind) => `${space}.${kind}.newt.so`)
  return [...hosts, 'assets.newt.so', 'storage.googleapis.com', ...assetHosts].map(
    (host) => `https://${host}`,
  )
}

/** Where an address is really fetched: `--origin` and `--map-host` stand in for Newt's hosts. */
export function locate(url: string, { origin, hostMap }: Pick<Access, 'origin' | 'hostMap'>): string {
  const { host, pathname, search } = new URL(url)
  const mapped = hostMap.get(host)
  if (mapped) return `${mapped}${pathname}${search}`
  if (origin && /(?:^|\.)assets\.newt\.so$/.test(host)) return `${origin}/${host}${pathname}${search}`
  return url
}
