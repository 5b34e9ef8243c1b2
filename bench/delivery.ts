import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { openDatabase } from '#server/db/connection.ts'
import { startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'
import { migrateQueue } from '#server/jobs/queue-schema.ts'
import { newId } from '#server/lib/ids.ts'
import { Content } from '../test/content-fixtures.ts'

/*
 * Requests per second of the delivery API over keep-alive, uncached, beside a bare node:http server that sends the
 * same bytes. Each server process on one core, PostgreSQL on another, the load generator on a third (taskset; where it
 * or the cores are missing, nothing is pinned and the figures say so). Runs alternate, the median of each counts.
 */

const articles = 10_000
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const connections = 64
const targets = { one: 0.07, list: 0.02 }

/** Binds a program to a core, on Linux. */
const pinner = 'taskset'
const isPinned = availableParallelism() >= 4 && has(pinner)
const cores = { server: '1', load: '2', postgres: '3' }
const folder = mkdtempSync(join(tmpdir(), 'imori-bench-'))
const children = new Set<ChildProcess>()

function has(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a script of this folder on a core and gives its process and its first line of output. */
async function start(core: string, script: string, ...parameters: string[]): Promise<[ChildProcess, string]> {
  const command = [process.execPath, '--import', 'tsx', `bench/${script}`, ...parameters]
  const [file = '', ...rest] = isPinned ? [pinner, '-c', core, ...command] : command
  const child = spawn(file, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  for await (const line of createInterface({ input: child.stdout })) return [child, line]
  throw new Error(`${script} ended without a word`)
}

async function measure(port: string, path: string, token: string): Promise<number> {
  const [, line] = await start(cores.load, 'load.ts', port, path, token, String(connections), String(seconds))
  const result = JSON.parse(line)
  return result.requests / result.seconds
}

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed + 1
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % below
  }
}

const kana = 'あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん'
const vocabulary = Array.from({ length: 600 }, (_, index) => {
  const next = numbers(index * 7919)
  const kanji = String.fromCodePoint(0x4e00 + next(3000), 0x4e00 + next(3000))
  return kanji.slice(next(2)) + [kana[next(46)], kana[next(46)]].slice(next(3)).join('')
})

/** Japanese-looking text of about so many characters, as hard to compress as an article. */
function prose(seed: number, length: number): string {
  const next = numbers(seed)
  let text = ''
  while (text.length < length)
    text += vocabulary[next(600)] + (next(9) === 0 ? '。' : next(12) === 0 ? '、' : '')
  return text
}

/** About 4 KB of rich text (UTF-8), another one for every number. */
function body(n: number): string {
  let html = `<h2>${prose(n, 12)}</h2>`
  for (let part = 0; Buffer.byteLength(html) < 4096; part++) html += `<p>${prose(n * 50 + part, 160)}</p>`
  return html
}

async function fill(content: Content) {
  const spaceId = await content.space('bench')
  const appId = await content.app(spaceId, 'blog')
  const author = await content.model(spaceId, appId, 'author', [
    { uid: 'name', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
    { uid: 'profile', type: 'TEXT', inputType: 'textarea' },
  ])
  const category = await content.model(spaceId, appId, 'category', [
    { uid: 'name', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
  ])
  const article = await content.model(spaceId, appId, 'article', [
    { uid: 'title', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
    { uid: 'body', type: 'RICH_TEXT' },
    { uid: 'date', type: 'DATE' },
    { uid: 'author', type: 'REFERENCE', modelUid: 'author' },
    { uid: 'category', type: 'REFERENCE', modelUid: 'category' },
  ])
  const people = await content.documents(
    author,
    Array.from({ length: 50 }, (_, n) => ({
      pub: { name: `著者 ${n}`, slug: `author-${n}`, profile: prose(n, 60) },
    })),
  )
  const categories = await content.documents(
    category,
    Array.from({ length: 20 }, (_, n) => ({ pub: { name: `分類 ${n}`, slug: `category-${n}` } })),
  )
  // An index that is built at the end takes seconds; one that grows with every row takes minutes.
  const client = await content.pool.connect()
  await client.query('SET statement_timeout = 0')
  const { rows } = await client.query(`SELECT pg_get_indexdef('document_text_grams'::regclass) AS index`)
  await client.query('DROP INDEX document_text_grams')
  let one = ''
  for (let from = 0; from < articles; from += 500) {
    const ids = await content.documents(
      article,
      Array.from({ length: 500 }, (_, index) => {
        const n = from + index
        const at = new Date(Date.UTC(2020, 0, 1) + n * 3_600_000)
        return {
          id: newId(),
          pub: {
            title: `記事 ${n}: ${prose(n, 16)}`,
            slug: `article-${n}`,
            body: body(n),
            date: at.toISOString(),
            author: people[n % people.length],
            category: categories[n % categories.length],
          },
          createdAt: at,
        }
      }),
    )
    one = ids[250] ?? one
  }
  await client.query(rows[0].index.replace(' ON ONLY ', ' ON ')) // on the partitions too
  await client.query('VACUUM ANALYZE document')
  await client.query('VACUUM ANALYZE document_text')
  client.release(true)
  return { one, token: await content.token(spaceId, 'cdn') }
}

/** The server and every process it starts from now on. */
async function pinPostgres(superuser: pg.ClientConfig): Promise<void> {
  if (!isPinned) return
  const client = new pg.Client({ ...superuser, ssl: false })
  await client.connect()
  const { rows } = await client.query(`SELECT pg_read_file('postmaster.pid') AS file`)
  await client.end()
  execFileSync(pinner, ['-a', '-p', '-c', cores.postgres, rows[0].file.split('\n')[0]], {
    stdio: 'ignore',
  })
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

async function main(): Promise<boolean> {
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: console.warn })
  try {
    await pinPostgres(postgres.superuserConnection)
    const database = await openDatabase(postgres.connection)
    await migrate(database)
    await migrateQueue(database)
    console.log(`Writing ${articles} articles …`)
    const { one, token } = await fill(new Content(database.pool))
    await database.close()

    const [server, port] = await start(
      cores.server,
      'delivery-server.ts',
      JSON.stringify(postgres.connection),
    )
    const cases = [
      { name: 'one document', key: 'one', path: `/v1/blog/article/${one}` },
      { name: 'list of 20', key: 'list', path: '/v1/blog/article?limit=20' },
    ] as const
    console.log(
      `${cpus()[0]?.model}, Node ${process.version}, ${connections} connections, ${rounds} × ${seconds} s, ` +
        (isPinned
          ? `pinned: servers to core ${cores.server}, load to ${cores.load}, PostgreSQL to ${cores.postgres}`
          : 'nothing pinned to cores'),
    )
    let isMet = true
    for (const { name, key, path } of cases) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (answer.status !== 200) throw new Error(bytes.toString())
      const file = join(folder, `${key}.json`)
      writeFileSync(file, bytes)
      const [bare, barePort] = await start(cores.server, 'bare-server.ts', file)
      const own: number[] = []
      const measured: number[] = []
      for (let round = 0; round < rounds; round++) {
        measured.push(await measure(barePort, path, token))
        own.push(await measure(port, path, token))
      }
      bare.kill()
      const ratio = median(own) / median(measured)
      const met = ratio >= targets[key]
      isMet &&= met
      console.log(
        `${name.padEnd(13)} ${String(bytes.length).padStart(7)} bytes   bare ${show(measured)}/s   ` +
          `ours ${show(own)}/s   ratio ${ratio.toFixed(3)}   target ${targets[key]} ${met ? 'met' : 'MISSED'}`,
      )
    }
    server.kill()
    return isMet
  } finally {
    for (const child of children) child.kill()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const show = (runs: number[]) => Math.round(median(runs)).toLocaleString('en')

process.exitCode = (await main()) ? 0 : 1
