import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { body, prose } from './content.ts'
import {
  type Case,
  close,
  cpu,
  folder,
  type Measured,
  measure,
  ownCpu,
  rate,
  request,
  startCommand,
  whole,
} from './measuring.ts'
import {
  backEndCores,
  bodyBytes,
  documents,
  folders,
  machine,
  moveToBackEnd,
  rounds,
  seconds,
  wantedCases,
} from './options.ts'

/*
 * `npm run bench -- compare DIR`: compares the cost of the same requests in this checkout and another one. Both run
 * from their builds (`npm run build`). Each has its own data, written through its API, so the checkouts only need the
 * same API. Runs alternate, and the median of each counts.
 */

interface Installation {
  port: string
  /** Pids of the measured processes: the server and the postmaster of PostgreSQL. */
  back: number[]
  cases: Case[]
}

/** Starts the build of a checkout with empty data and fills it. */
async function open(checkout: string, name: string): Promise<Installation> {
  const port = String(await freePort())
  const url = `http://localhost:${port}`
  const data = join(folder, name)
  mkdirSync(data)
  chmodSync(folder, 0o755) // PostgreSQL runs as another user if this process is root.
  const env = { IMORI_DATA: data, IMORI_PORT: port, IMORI_LOG_LEVEL: 'error' }
  const command = [process.execPath, join(checkout, 'dist/server/main.js')]
  const [server] = await startCommand(command, env, /^Imori is ready/)
  console.log(`Filling ${checkout} …`)
  const cases = await fill(url)
  const postmaster = readFileSync(join(data, 'database/postmaster.pid'), 'utf8').split('\n')[0]
  return { port, back: [Number(server.pid), Number(postmaster)], cases }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  return typeof address === 'object' && address ? address.port : 0
}

/** Writes a blog through the API. Returns the measured requests. */
async function fill(url: string): Promise<Case[]> {
  const headers: Record<string, string> = { origin: url, 'content-type': 'application/json' }
  const cookies = new Map<string, string>()
  async function call<Answer>(method: string, path: string, sent?: object): Promise<Answer> {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers,
      body: sent ? JSON.stringify(sent) : null,
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair)
    }
    headers.cookie = [...cookies.values()].join('; ')
    return JSON.parse(text) as Answer
  }
  /** Uploads a file of 20 KB. Returns its path, as sites request it. */
  async function upload(): Promise<string> {
    const form = new FormData()
    form.append('file', new File(['x'.repeat(20_000)], 'a.txt', { type: 'text/plain' }))
    const { 'content-type': _json, ...others } = headers
    const answer = await fetch(`${url}/api/project/bench/assets`, {
      method: 'POST',
      headers: others,
      body: form,
    })
    const { results } = (await answer.json()) as { results: { asset: { _id: string } }[] }
    return `/bench.assets/v1/${results[0]?.asset._id}/a.txt`
  }
  const person = { email: 'bench@example.com', password: 'ham sandwich on a rainy tuesday' }
  await call('POST', '/auth/signup', person)
  const { csrfToken } = await call<{ csrfToken: string }>('GET', '/auth/csrfToken')
  headers['x-csrf-token'] = csrfToken
  await call('POST', '/project', { project: { uid: 'bench', name: 'bench' } })
  await call('POST', '/project/bench/app', { data: { uid: 'blog', name: 'blog' } })
  const app = '/project/bench/app/blog'
  const text = (uid: string) => ({ uid, name: uid, type: 'TEXT' })
  const reference = (uid: string) => ({ uid, name: uid, type: 'REFERENCE', modelUid: uid })
  const model = (uid: string, fields: object[]) =>
    call('POST', `${app}/model`, { data: { uid, name: uid, fields } })
  await model('author', [text('name'), text('slug')])
  await model('category', [text('name'), text('slug')])
  const rich = { uid: 'body', name: 'body', type: 'RICH_TEXT' }
  const date = { uid: 'date', name: 'date', type: 'DATE' }
  await model('article', [
    text('title'),
    text('slug'),
    rich,
    date,
    reference('author'),
    reference('category'),
  ])

  /** Creates this many documents concurrently. Returns their `_id`s. */
  async function write(uid: string, count: number, values: (n: number) => object): Promise<string[]> {
    const ids: string[] = []
    let next = 0
    const work = async () => {
      while (next < count) {
        const n = next++
        const sent = { document: values(n), type: 'PUBLISH' }
        const { document } = await call<{ document: { _id: string } }>(
          'POST',
          `${app}/model/${uid}/doc`,
          sent,
        )
        ids[n] = document._id
      }
    }
    await Promise.all(Array.from({ length: 8 }, work))
    return ids
  }
  const authors = await write('author', 50, (n) => ({ name: `著者 ${n}`, slug: `author-${n}` }))
  const categories = await write('category', 20, (n) => ({ name: `分類 ${n}`, slug: `category-${n}` }))
  const article = (n: number) => ({
    title: `記事 ${n}: ${prose(n, 16)}`,
    slug: `article-${n}`,
    body: body(n, bodyBytes),
    date: new Date(Date.UTC(2020, 0, 1) + n * 3_600_000).toISOString(),
    author: authors[(n * 7) % authors.length],
    category: categories[n % categories.length],
  })
  const ids = await write('article', documents, article)
  const { cdnToken } = await call<{ cdnToken: { token: string } }>('POST', '/project/bench/cdnToken', {
    data: { name: 'bench' },
  })
  const authorization = `Bearer ${cdnToken.token}`
  const asset = await upload()
  const get = (query: string) => request('GET', `/v1/blog/article${query}`, { authorization })
  const send = (method: string, path: string, sent: object) => {
    const bytes = JSON.stringify(sent)
    const length = String(Buffer.byteLength(bytes))
    return request(
      method,
      `/api${app}/model/article/doc${path}`,
      { ...headers, 'content-length': length },
      bytes,
    )
  }
  /**
   * There are more different requests than the response cache has entries, so no response comes from it. Repetitions
   * differ in their query string.
   */
  const inTurn = (query: (n: number) => string) =>
    Array.from({ length: Math.ceil(16_000 / documents) * documents }, (_, n) =>
      get(query(n % documents) + '&'.repeat(Math.floor(n / documents))),
    )
  return [
    { name: 'one', connections: 32, requests: [get(`/${ids[documents >> 1]}`)] },
    { name: 'list of 20', connections: 32, requests: [get('?limit=20')] },
    { name: 'app', connections: 32, requests: [request('GET', '/v1/space/apps/blog', { authorization })] },
    { name: 'asset', connections: 32, requests: [request('GET', asset, {})] },
    {
      name: 'filter + order',
      connections: 32,
      requests: categories.map((id) => get(`?category=${id}&order=-date&limit=20`)),
    },
    {
      name: 'by slug',
      connections: 32,
      requests: ids.slice(0, 500).map((_, n) => get(`?slug=article-${n}&limit=1`)),
    },
    { name: 'one, all in turn', connections: 32, requests: inTurn((n) => `/${ids[n]}?depth=1`) },
    { name: 'by slug, all in turn', connections: 32, requests: inTurn((n) => `?slug=article-${n}&limit=1`) },
    { name: 'list of 20, all in turn', connections: 32, requests: inTurn((n) => `?limit=20&skip=${n}`) },
    {
      name: 'create',
      connections: 8,
      requests: [send('POST', '', { document: { ...article(1), slug: 'new-00000000' }, type: 'PUBLISH' })],
    },
    {
      name: 'save',
      connections: 8,
      requests: ids.slice(0, 64).map((id) => send('PUT', `/${id}`, { doc: { title: '新しい題 00000000' } })),
    },
  ]
}

/**
 * Sends the first GET request of each case to both servers. Then waits 45 seconds, because a server needs up to half a
 * minute until it has created the field indexes for these requests.
 */
async function settle(installations: Installation[]): Promise<void> {
  for (const { port, cases } of installations)
    for (const { requests } of cases) {
      const [first = ''] = requests
      const [method, path] = first.split(' ')
      const authorization = /authorization: (.*)/.exec(first)?.[1]?.trim() ?? ''
      if (method !== 'GET') continue
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } })
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      await answer.arrayBuffer()
    }
  await sleep(45_000)
}

const show = (runs: Measured[]) =>
  `${whole(rate(runs))}/s | ${whole(ownCpu(runs))} + ${whole(cpu(runs) - ownCpu(runs))} µs`

async function main(other: string): Promise<void> {
  moveToBackEnd()
  const before = await open(resolve(other), 'before')
  const now = await open(resolve('.'), 'now')
  await settle([before, now])
  console.log(`${machine()}, ${documents} articles of ${bodyBytes} bytes, ${rounds} × ${seconds} s`)
  console.log('CPU: of the server + of PostgreSQL, each per request\n')
  console.log(
    `| request, back end on ${backEndCores} core(s) | before | CPU | now | CPU | rate | CPU, now : before |`,
  )
  console.log('|---|---|---|---|---|---|---|')
  for (const [index, item] of now.cases.entries()) {
    if (wantedCases && !wantedCases.includes(item.name)) continue
    const runs: Record<'before' | 'now', Measured[]> = { before: [], now: [] }
    // The first run of each server is a warm-up.
    for (let round = 0; round <= rounds; round++)
      for (const name of ['before', 'now'] as const) {
        const { port, back, cases } = name === 'now' ? now : before
        const measured = await measure(port, cases[index] ?? item, back)
        if (round > 0) runs[name].push(measured)
      }
    const gain = rate(runs.now) / rate(runs.before)
    const share = cpu(runs.now) / cpu(runs.before)
    console.log(
      `| ${item.name} | ${show(runs.before)} | ${show(runs.now)} | ${gain.toFixed(2)} | ${share.toFixed(2)} |`,
    )
  }
}

const [other] = folders
if (other === undefined) {
  console.error('compare needs the folder of another checkout, built')
  process.exit(2)
}
try {
  await main(other)
} finally {
  await close()
}
