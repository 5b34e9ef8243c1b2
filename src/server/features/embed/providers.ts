import { createRequire } from 'node:module'

/** A provider in the list of oembed.com. */
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

/** Returns the oEmbed endpoint for this URL in the public list of providers, or undefined. */
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
      // Only https, because the response is shown to readers.
      const endpoint = url.replace('{format}', 'json').replace(/^http:/, 'https:')
      return schemes.length > 0 ? [{ provider, url: endpoint, schemes: schemes.flatMap(readScheme) }] : []
    }),
  )
}

/**
 * Splits a scheme such as `https://*.example.com/videos/*` into host and path, so that a star in the host cannot match
 * into the path.
 */
function readScheme(scheme: string): Scheme[] {
  const [, host, path = '/'] = /^https?:\/\/([^/]+)(\/.*)?$/.exec(scheme) ?? []
  return host === undefined ? [] : [{ host: host.toLowerCase(), path }]
}

/** Checks whether the text matches a pattern in which stars match anything. Does not backtrack. */
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
