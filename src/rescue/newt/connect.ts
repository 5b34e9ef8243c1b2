import { setMaxListeners } from 'node:events'
import type { RescueOptions } from '#rescue/run/rescue.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { Polite } from './host-throttle.ts'
import { NewtApi } from './newt-api.ts'

/** Models read at the same time; each reads its pages one after the other. */
export const modelsAtOnce = 3

export type Access = Pick<
  RescueOptions,
  'space' | 'app' | 'tokens' | 'origin' | 'hostMap' | 'assetHosts' | 'concurrency' | 'backoffMs' | 'proxy'
>

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
  const polite = new Polite({ baseMs: options.backoffMs ?? 500, onWait, signal: ending })
  const api = new NewtApi({ http, polite, space, app, origin, tokens, signal: ending })
  const close = () => {
    closing.abort()
    return http.close()
  }
  return { http, polite, api, signal: ending, close }
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
export function locate(url: string, { origin, hostMap }: Pick<RescueOptions, 'origin' | 'hostMap'>): string {
  const { host, pathname, search } = new URL(url)
  const mapped = hostMap.get(host)
  if (mapped) return `${mapped}${pathname}${search}`
  if (origin && /(?:^|\.)assets\.newt\.so$/.test(host)) return `${origin}/${host}${pathname}${search}`
  return url
}
