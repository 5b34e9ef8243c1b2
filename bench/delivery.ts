import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSession } from '#server/access/sessions.ts'
import { loadConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/connection.ts'
import { cookieName } from '#server/http/browsers/cookie-jar.ts'
import { newId } from '#server/lib/ids.ts'
import { type BenchDatabase, openBench } from './database.ts'
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
  start,
  whole,
} from './measuring.ts'
import { backEndCores, bodyBytes, documents, machine, rounds, seconds } from './options.ts'

/*
 * Measures requests per second with keep-alive, compared with a bare node:http server that sends the same bytes.
 * Repeated requests are served from the cache; the cases "all in turn" request another document each time. The back end
 * (server and PostgreSQL together) has one core (`--cores 2`: two), and the load generator has another one. Without
 * taskset or enough cores, processes are not bound to cores, and the output says so. Runs alternate, and the median of
 * each counts.
 */

interface DeliveryCase extends Case {
  /** Minimum ratio to the bare server. undefined: no comparison. */
  target?: number
}

/** Returns the measured cases. `ids`: `_id`s of many articles. */
function delivered(blog: BenchDatabase['blog'], ids: string[]): DeliveryCase[] {
  const get = (query: string) =>
    request('GET', `/v1/blog/article${query}`, { authorization: `Bearer ${blog.token}` })
  const some = (count: number, query: (n: number) => string) =>
    Array.from({ length: count }, (_, index) => get(query(index)))
  return [
    { name: 'one', connections: 32, requests: [get(`/${blog.one}`)], target: 0.12 },
    { name: 'list of 20', connections: 32, requests: [get('?limit=20')], target: 0.04 },
    {
      name: 'filter + order',
      connections: 32,
      requests: blog.categories.map((id) => get(`?category=${id}&order=-date&limit=20`)),
      target: 0.04,
    },
    {
      name: 'by slug',
      connections: 32,
      requests: some(500, (n) => `?slug=article-${(n * 7919) % documents}&limit=1`),
      target: 0.1,
    },
    { name: 'one, all in turn', connections: 32, requests: ids.map((id) => get(`/${id}`)) },
    {
      name: 'by slug, all in turn',
      connections: 32,
      requests: some(ids.length, (n) => `?slug=article-${(n * 7919) % documents}&limit=1`),
    },
  ]
}

/** Creates an account that may write, with a session. Returns a case whose requests create documents. */
async function created(
  port: string,
  database: Awaited<ReturnType<typeof openDatabase>>,
  blog: BenchDatabase['blog'],
  key: string,
) {
  const account = newId()
  const email = `${account}@example.com`
  const { kysely, pool } = database
  await pool.query(
    `INSERT INTO account (id, email, email_key, name, password_hash) VALUES ($1, $2, $2, 'B', '-')`,
    [account, email],
  )
  await pool.query(
    `INSERT INTO space_member (space_id, id, account_id, role) VALUES ($1, $2, $3, 'pjt-Admin')`,
    [blog.spaceId, newId(), account],
  )
  const config = loadConfig({})
  const cookie = `${cookieName(config, 'sid')}=${await createSession(kysely, { sessionKey: key, encryptionKeys: [] }, account)}`
  const origin = config.url
  const answer = await fetch(`http://127.0.0.1:${port}/api/auth/csrfToken`, { headers: { cookie } })
  const { csrfToken } = (await answer.json()) as { csrfToken: string }
  const document = {
    title: '新しい記事 00000000',
    slug: 'new-00000000',
    body: `<p>${'本文です。'.repeat(80)}</p>`,
  }
  const body = JSON.stringify({ document, type: 'PUBLISH' })
  const headers = {
    cookie,
    origin,
    'x-csrf-token': csrfToken,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }
  const path = '/api/project/bench/app/blog/model/article/doc'
  return { name: 'create', connections: 8, requests: [request('POST', path, headers, body)] }
}

const show = (runs: Measured[]) => `${whole(rate(runs))}/s | ${whole(cpu(runs))} µs`
/** Formats the medians of the runs, with the server's own CPU time appended. PostgreSQL uses the rest. */
const showOwn = (runs: Measured[]) => `${show(runs)}, ${whole(ownCpu(runs))} of them ours`

/**
 * Fetches the response with retries. The first list of a large model by a field waits for its index, and the 429
 * response contains the waiting time.
 */
async function whenAnswered(url: string, headers: Record<string, string>): Promise<Response> {
  for (const begun = Date.now(); ; ) {
    const answer = await fetch(url, { headers })
    if (answer.status !== 429 || Date.now() - begun > 600_000) return answer
    console.log((await answer.json()).message)
    await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get('retry-after') ?? 1) * 1000))
  }
}

/**
 * Measures a case and the bare server, and prints the table row for docs/performance.md. Returns whether the target is
 * met. A case of POST requests is measured without the bare server and always counts as met.
 */
async function compare(port: string, item: DeliveryCase, back: number[]): Promise<boolean> {
  const own: Measured[] = []
  if (item.requests[0]?.startsWith('POST')) {
    for (let round = 0; round < rounds; round++) own.push(await measure(port, item, back))
    console.log(`| ${item.name}, ${item.connections} connections | – | – | – | ${showOwn(own)} | – | – | – |`)
    return true
  }
  const [head = ''] = item.requests[0]?.split('\r\n') ?? []
  const answer = await whenAnswered(`http://127.0.0.1:${port}${head.split(' ')[1]}`, {
    authorization: /authorization: (.*)/.exec(item.requests[0] ?? '')?.[1]?.trim() ?? '',
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (answer.status !== 200) throw new Error(bytes.toString())
  const file = join(folder, 'answer.json')
  writeFileSync(file, bytes)
  const [bare, barePort] = await start('bare-server.ts', file)
  const measured: Measured[] = []
  for (let round = 0; round < rounds; round++) {
    measured.push(await measure(barePort, item, [Number(bare.pid)]))
    own.push(await measure(port, item, back))
  }
  bare.kill()
  const ratio = rate(own) / rate(measured)
  const isMet = ratio >= (item.target ?? 0)
  console.log(
    `| ${item.name} | ${bytes.length.toLocaleString('en')} | ${show(measured)} | ${showOwn(own)} ` +
      `| ${ratio.toFixed(3)} | ${(cpu(measured) / cpu(own)).toFixed(3)} | ${item.target ?? '–'}${isMet ? '' : ' MISSED'} |`,
  )
  return isMet
}

/** Removes created documents, so that the data can be used again. */
async function removeCreated(
  { pool }: Awaited<ReturnType<typeof openDatabase>>,
  modelId: number,
): Promise<void> {
  const client = await pool.connect()
  await client.query('SET statement_timeout = 0')
  const created = '(SELECT id FROM document WHERE model_id = $1 AND created_by IS NOT NULL)'
  for (const table of ['revision', 'document_text', 'document_unique'])
    await client.query(`DELETE FROM ${table} WHERE model_id = $1 AND document_id IN ${created}`, [modelId])
  await client.query('DELETE FROM document WHERE model_id = $1 AND created_by IS NOT NULL', [modelId])
  await client.query(
    `UPDATE model_stat SET (documents, published) = (SELECT count(*), count(*) FROM document WHERE model_id = $1),
       version = version + 1 WHERE model_id = $1`,
    [modelId],
  )
  client.release(true)
}

/** Waits until the server has created its automatic indexes. Small models get none. */
async function whenIndexed(database: Awaited<ReturnType<typeof openDatabase>>): Promise<void> {
  if (documents <= 1_000) return
  for (let before = -1; ; ) {
    const { rows } = await database.pool.query(
      `SELECT count(*) AS n FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE c.relname ~ '^field_index_[0-9]' AND i.indisvalid`,
    )
    if (rows[0].n > 0 && rows[0].n === before) return
    before = rows[0].n
    await new Promise((resolve) => setTimeout(resolve, 2000))
  }
}

async function main(): Promise<boolean> {
  const bench = await openBench()
  const { blog, postgres } = bench
  try {
    const database = await openDatabase(postgres.connection)
    const key = randomBytes(32).toString('hex')
    await removeCreated(database, blog.article.id) // An interrupted run may have left documents.
    const [server, port] = await start('delivery-server.ts', JSON.stringify(postgres.connection), key)
    await whenIndexed(database)
    console.log(`${machine()}, ${documents} articles of ${bodyBytes} bytes, ${rounds} × ${seconds} s\n`)
    console.log(
      `| request, back end on ${backEndCores} core(s) | bytes | bare | its CPU | Imori | its CPU | ratio | by CPU | target |`,
    )
    console.log('|---|---|---|---|---|---|---|---|---|')
    const back = [Number(server.pid), bench.postmaster]
    let isMet = true
    const { rows } = await database.pool.query<{ id: string }>(
      'SELECT id FROM document WHERE model_id = $1 AND pub IS NOT NULL AND deleted_at IS NULL LIMIT 20000',
      [blog.article.id],
    )
    const ids = rows.map(({ id }) => id)
    for (const item of delivered(blog, ids)) isMet = (await compare(port, item, back)) && isMet
    await compare(port, await created(port, database, blog, key), back)
    server.kill()
    await removeCreated(database, blog.article.id)
    await database.close()
    return isMet
  } finally {
    await close()
    await bench.close()
  }
}

process.exitCode = (await main()) ? 0 : 1
