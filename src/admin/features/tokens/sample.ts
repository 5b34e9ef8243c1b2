import type { TokenKind } from './tokens.queries.ts'

export const sampleClients = ['sdk', 'fetch', 'curl', 'write'] as const
/**
 * `sdk`: unmodified newt-client-js (axios). `fetch`: newt-client-js with its `fetch` option. `curl`: no client.
 * `write`: a document is created by curl, for API tokens only.
 */
export type SampleClient = (typeof sampleClients)[number]

interface SampleInput {
  client: SampleClient
  /** The origin of this installation, such as `https://cms.example.com`. */
  origin: string
  space: string
  app: string
  model: string
  kind: TokenKind
  /** uid of the field that `write` fills. */
  field?: string
  token: string
}

/**
 * Returns code that reads the contents of a model, or creates a document (`write`). newt-client-js always requests
 * `https://{spaceUid}.{apiType}.newt.so`, so a `spaceUid` that begins with this host redirects it here. On plain HTTP
 * (a local installation), the `fetch` option changes the scheme back.
 */
export function sampleCode({
  client,
  origin,
  space,
  app,
  model,
  kind,
  field = 'title',
  token,
}: SampleInput): string {
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
  if (client === 'write') {
    return [
      `curl -X POST -H 'Authorization: Bearer ${token}' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '${JSON.stringify({ document: { [field]: 'Hello' } })}' \\`,
      `  '${origin}/api/project/${space}/app/${app}/model/${model}/doc'`,
    ].join('\n')
  }
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
