import { usesOf } from '#server/content/field-indexes/uses.ts'
import { managementList, parseQuery } from '#server/content/query/parse.ts'
import { fromKysely, selectDocuments } from '#server/content/read.ts'
import { createRegistry, loadSpace } from '#server/content/registry.ts'
import { openDatabase } from '#server/db/connection.ts'
import { enterSpace, spaceScope } from '#server/db/scope.ts'
import { presentRows } from '#server/features/documents/store/present.ts'
import { countedTo } from '#shared/contract/common.ts'
import { Content } from '../test/content-fixtures.ts'
import { startFieldIndexer } from '../test/field-indexes.ts'
import { body, prose } from './content.ts'
import { openBench } from './database.ts'
import { bodyBytes, documents, machine, median } from './options.ts'

/*
 * Measures the admin's lists with 50 documents per page, for a large model and for a model with 100 documents. The
 * result is the server time of one page, from the query string to the response text, in a transaction as in the
 * management API. Only the large model has field indexes (with more than 1,000 documents). They are created before the
 * measurement.
 */

const few = 100
const rounds = 30

const bench = await openBench()
const database = await openDatabase(bench.postgres.connection)
try {
  const { spaceId, article } = bench.blog
  const content = new Content(database.pool)
  const small = await content.model(spaceId, article.appId, `few${Date.now()}`, [
    { uid: 'title', type: 'TEXT' },
    { uid: 'slug', type: 'TEXT' },
    { uid: 'body', type: 'RICH_TEXT' },
    { uid: 'date', type: 'DATE' },
  ])
  const pub = (n: number) => ({
    title: `記事 ${n}: ${prose(n, 20)}`,
    slug: `article-${n}`,
    body: body(n, bodyBytes),
    date: new Date(Date.UTC(2020, 0, n)).toISOString(),
  })
  await content.documents(
    small,
    Array.from({ length: few }, (_, n) => ({ pub: pub(n) })),
  )
  const client = await database.pool.connect()
  await client.query('SET statement_timeout = 0')
  await client.query('VACUUM ANALYZE document, document_text')
  await client.query('RESET statement_timeout')
  client.release()

  const registry = createRegistry(database)
  const indexes = startFieldIndexer(database, registry.notices, console.error, {
    largeFrom: 1000,
    every: 500,
  })

  const list = (uid: string, raw: string) =>
    database.kysely.transaction().execute(async (tx) => {
      await enterSpace(tx, spaceScope(spaceId))
      const started = performance.now()
      const space = await loadSpace(fromKysely(tx), spaceId)
      const model = space?.apps.get('blog')?.models.get(uid)
      if (!model) throw new Error(`there is no model ${uid}`)
      const query = parseQuery(raw, model, managementList)
      indexes.note(usesOf(model, 'current', query))
      const options = { model, stage: 'current', query, managed: true, countTo: countedTo, indexes } as const
      const { rows, total } = await selectDocuments(fromKysely(tx), options)
      const text = JSON.stringify({ documents: await presentRows(tx, model, rows), total })
      return { took: performance.now() - started, total, bytes: text.length }
    })

  async function time(uid: string, query: string) {
    const times: number[] = []
    let total = 0
    for (let round = 0; round < rounds; round++) {
      const answer = await list(uid, query)
      times.push(answer.took)
      total = answer.total
    }
    return { typical: median(times), best: Math.min(...times), total }
  }

  const cases: [name: string, query: string][] = [
    ['as it opens', ''],
    ['page 100', 'skip=5000'],
    ['oldest first', 'order=_sys.createdAt'],
    ['drafts (none)', '_sys.status=draft'],
    ['published', '_sys.status=published'],
    ['mine (none)', `_sys.createdBy=${'0'.repeat(24)}`],
    ['search, one character', `search=${encodeURIComponent('事')}`],
    ['search, a rare character (none)', `search=${encodeURIComponent('鼈')}`],
    ['search, two characters', `search=${encodeURIComponent('記事')}`],
    ['search, one article', `search=${encodeURIComponent('記事 77:')}`],
    ['by title', 'order=title'],
    ['of a month', 'date[gte]=2020-02-01&date[lt]=2020-03-01'],
  ]
  // The first lists register the fields that they use, and `run` creates the indexes for these fields.
  for (const [, query] of cases) await list(article.uid, query)
  await indexes.run()
  const digits = (value: number) => value.toFixed(value < 10 ? 1 : 0)
  console.log(`${machine()}, bodies of ${bodyBytes} bytes; milliseconds, median (best) of ${rounds}\n`)
  console.log(`| list | ${few} documents | ${documents.toLocaleString('en')} | ratio | total |`)
  console.log('|---|---|---|---|---|')
  for (const [name, query] of cases) {
    const [one, other] = [await time(small.uid, query), await time(article.uid, query).catch(() => null)]
    const cell = (found: typeof other) =>
      found ? `${digits(found.typical)} (${digits(found.best)})` : 'ended after its time'
    const ratio = other && one ? (other.best / one.best).toFixed(1) : '–'
    console.log(`| ${name} | ${cell(one)} | ${cell(other)} | ${ratio} | ${other?.total ?? '–'} |`)
  }
  await indexes.close()
  await registry.close()
} finally {
  await database.close()
  await bench.close()
}
