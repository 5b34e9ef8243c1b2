import { createRequire } from 'node:module'

/** As the list of oembed.com gives it. */
interface Provider {
  provider_name: string
  endpoints: { schemes?: string[]; url: string }[]
}

interface Scheme {
  host: string
  path: string
}

interface KnownEndpoint {
  provider: string
  url: string
  schemes: Scheme[]
}

let known: KnownEndpoint[] | undefined

/** Who can be asked for this address, by the public list of services; undefined for an address of none of them. */
export function findProvider(url: URL): { provider: string; endpoint: string } | undefined {
  known ??= readProviders()
  const found = known.find(({ schemes }) =>
    schemes.some(
      ({ host, path }) => fits(host, url.host) && fits(path, url.pathname + url.search + url.hash),
    ),
  )
  return found && { provider: found.provider, endpoint: found.url }
}

function readProviders(): KnownEndpoint[] {
  const list = createRequire(import.meta.url)('oembed-providers') as Provider[]
  return list.flatMap(({ provider_name: provider, endpoints }) =>
    endpoints.flatMap(({ url, schemes = [] }) => {
      // Questions go over a secure connection only: the answer is shown to readers.
      const endpoint = url.replace('{format}', 'json').replace(/^http:/, 'https:')
      return schemes.length > 0 ? [{ provider, url: endpoint, schemes: schemes.flatMap(readScheme) }] : []
    }),
  )
}

/** `https://*.example.com/videos/*`, its host apart from the rest: a star in it is not to reach into the path. */
function readScheme(scheme: string): Scheme[] {
  const [, host, path = '/'] = /^https?:\/\/([^/]+)(\/.*)?$/.exec(scheme) ?? []
  return host === undefined ? [] : [{ host: host.toLowerCase(), path }]
}

/** Does the text fit a pattern in which a star is anything? In time linear in the text, whatever the pattern. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...pieces] = pattern.split('*')
  const last = pieces.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of pieces) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
