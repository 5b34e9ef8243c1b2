import type { TokenKind } from './tokens.queries.ts'

export const sampleClients = ['sdk', 'fetch', 'curl'] as const
/** `sdk`: unmodified newt-client-js (axios). `fetch`: newt-client-js with its `fetch` option. `curl`: no client. */
export type SampleClient = (typeof sampleClients)[number]

interface SampleInput {
  client: SampleClient
  /** The origin of this installation, such as `https://cms.example.com`. */
  origin: string
  space: string
  app: string
  model: string
  kind: TokenKind
  token: string
}

/**
 * Returns code that reads the contents of a model. newt-client-js always requests
 * `https://{spaceUid}.{apiType}.newt.so`, so a `spaceUid` that begins with this host redirects it here. On plain HTTP
 * (a local installation), the `fetch` option changes the scheme back.
 */
export function sampleCode({ client, origin, space, app, model, kind, token }: SampleInput): string {
  const { host, protocol } = new URL(origin)
  if (client === 'curl') {
    return [
      `curl -H 'Authorization: Bearer ${token}' \\`,
      `  '${origin}/${space}.${kind}/v1/${app}/${model}?limit=10'`,
    ].join('\n')
  }
  const fetchLine =
    protocol === 'http:'
      ? [`  fetch: (url, init) => fetch(String(url).replace('https:', 'http:'), init),`]
      : ['  fetch,']
  return [
    `import { createClient } from 'newt-client-js'`,
    '',
    'const client = createClient({',
    `  spaceUid: '${host}/${space}',`,
    `  token: '${token}',`,
    `  apiType: '${kind}',`,
    ...(client === 'fetch' ? fetchLine : []),
    '})',
    '',
    'const { items, total } = await client.getContents({',
    `  appUid: '${app}',`,
    `  modelUid: '${model}',`,
    '  query: { limit: 10 },',
    '})',
    'console.log(total, items)',
  ].join('\n')
}
