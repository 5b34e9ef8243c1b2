import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { createRegistry } from '#server/content/registry.ts'
import { openDatabase } from '#server/db/connection.ts'
import { registerDelivery } from '#server/delivery/routes.ts'
import { rewriteDeliveryUrl } from '#server/delivery/site.ts'
import { startFieldIndexer } from '../test/field-indexes.ts'
import { openBench } from './database.ts'
import { bodyBytes, documents, machine, median } from './options.ts'

/*
 * Measures single sequential queries over HTTP: without field indexes, while the indexes are built, and with them.
 * Cases that use `n` search for another value in each call. If queries were refused, the last status is printed.
 */

const bench = await openBench()
const database = await openDatabase(bench.postgres.connection)
const { blog } = bench
const [rare = '', common = ''] = [blog.categories[1], blog.categories[0]]
const slug = (n: number) => `article-${(n * 7919 + 13) % documents}`

const cases: [name: string, query: (n: number) => string][] = [
  ['`slug=x&limit=1`', (n) => `slug=${slug(n)}&limit=1`],
  ['`slug=x`', (n) => `slug=${slug(n)}`],
  ['`slug={none}&limit=1`', (n) => `slug=none-${n}&limit=1`],
  ['`category={5 %}&order=-date&limit=20`', () => `category=${rare}&order=-date&limit=20`],
  ['`category={10 %}&order=-date&limit=20`', () => `category=${common}&order=-date&limit=20`],
  ['`category={10 %}&limit=20`', () => `category=${common}&limit=20`],
  ['`category.slug=x&limit=20`', (n) => `category.slug=category-${n % 20}&limit=20`],
  ['`order=-date&limit=20`', () => 'order=-date&limit=20'],
  ['a month by `date`, `limit=1`', (n) => `date=2020-${String((n % 12) + 1).padStart(2, '0')}&limit=1`],
  ['`title[match]=rare&limit=20`', (n) => `title[match]=${encodeURIComponent(`記事 ${n + 100}:`)}&limit=20`],
  ['`title[match]=common&limit=20`', () => `title[match]=${encodeURIComponent('記事')}&limit=20`],
  ['`limit=20`', () => 'limit=20'],
]

async function open(largeFrom: number) {
  const registry = createRegistry(database)
  const fieldIndexes = startFieldIndexer(database, registry.notices, console.error, {
    largeFrom,
    every: 500,
  })
  const server = Fastify({ rewriteUrl: rewriteDeliveryUrl({ domain: undefined, trustProxy: 0 }) })
  registerDelivery(server, { config: { url: 'http://localhost:3000' }, database, registry, fieldIndexes })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const base = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/v1/blog/article?`
  let asked = 0
  const ask = async (query: string): Promise<[milliseconds: number, status: number]> => {
    const started = performance.now()
    // The query string differs each time, so that no response is served from the cache.
    const answer = await fetch(base + query + '&'.repeat(++asked % 500), {
      headers: { authorization: `Bearer ${blog.token}` },
    })
    await answer.arrayBuffer()
    return [performance.now() - started, answer.status]
  }
  const close = async () => {
    await server.close()
    await fieldIndexes.close()
    await registry.close()
  }
  return { ask, close, fieldIndexes }
}
type Opened = Awaited<ReturnType<typeof open>>

/** Returns the median and the maximum of some calls. The first call, which counts the total, usually takes longest. */
async function time({ ask }: Opened, query: (n: number) => string, calls: number): Promise<string> {
  const times: number[] = []
  let refused = 0
  for (let n = 0; n < calls; n++) {
    const [milliseconds, status] = await ask(query(n))
    times.push(milliseconds)
    if (status !== 200) refused = status
  }
  const digits = (value: number) => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en'))
  return `${digits(median(times))} (${digits(Math.max(...times))}${refused ? `; ${refused}` : ''})`
}

async function all(opened: Opened, calls: number): Promise<string[]> {
  const results: string[] = []
  for (const [, query] of cases) results.push(await time(opened, query, calls))
  return results
}

async function namesOfIndexes(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'i' AND relname ~ '^field_index_[0-9]'`,
  )
  return rows.map(({ name }) => name)
}

for (const name of await namesOfIndexes()) await database.pool.query(`DROP INDEX "${name}"`)
await database.pool.query('DELETE FROM field_index')

const without = await open(Number.MAX_SAFE_INTEGER)
const missing = await all(without, 15)
await without.close()

const opened = await open(documents - 1)
for (const [, query] of cases) void opened.ask(query(0)) // These queries register the fields that they use.
await sleep(200)
const started = performance.now()
let isBuilt = false
const built = opened.fieldIndexes
  .run()
  .then(() => opened.fieldIndexes.run()) // This creates the indexes for the fields registered in the meantime.
  .finally(() => {
    isBuilt = true
  })
const during: number[][] = cases.map(() => [])
while (!isBuilt)
  for (const [index, [, query]] of cases.entries()) {
    if (isBuilt) break
    during[index]?.push((await opened.ask(query(during[index]?.length ?? 0)))[0])
  }
await built
const took = performance.now() - started
const present = await all(opened, 15)
await opened.close()

console.log(`${machine()}, ${documents} articles of ${bodyBytes} bytes; milliseconds, median (worst)`)
console.log(`${(await namesOfIndexes()).length} indexes were built in ${(took / 1000).toFixed(1)} s\n`)
console.log('| query | index missing | being built | there |')
console.log('|---|---|---|---|')
for (const [index, [name]] of cases.entries()) {
  const building = during[index] ?? []
  const digits = (value: number) => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en'))
  const shown = building.length > 0 ? `${digits(median(building))} (${digits(Math.max(...building))})` : '–'
  console.log(`| ${name} | ${missing[index]} | ${shown} | ${present[index]} |`)
}
await database.close()
await bench.close()
