import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/connection.ts'
import { newId } from '#server/lib/ids.ts'
import { openServices } from '#server/open-services.ts'
import { buildServer, buildWorker } from '#server/server.ts'
import type { Field } from '#shared/fields/index.ts'
import { createAccount, signIn } from '../test/factories.ts'
import { Client, ok, type TestInstallation, testSecrets } from '../test/server.ts'
import { openBench } from './database.ts'
import { bodyBytes, documents, machine, median } from './options.ts'

/*
 * Measures the duration of saves while the documents of their large model are converted, compared with saves before the
 * conversion. Two clients save documents continuously, in a server that runs its own jobs. The conversion changes the
 * title to Markdown. With BENCH_FIELD=body, it changes the body, whose character pairs are all in the search index.
 * Fails if a save during the conversion takes longer than 200 ms.
 */

const target = 200
const people = 2
const field = process.env.BENCH_FIELD ?? 'title'
const beforeFor = 20_000
/** Maximum observation time in seconds. */
const seconds = Number(process.env.BENCH_SECONDS ?? 240)

const bench = await openBench()
const database = await openDatabase(bench.postgres.connection)
const config = loadConfig({ IMORI_LOG_LEVEL: 'warn' })
const opened = openServices({ config, secrets: testSecrets, database })
const deps = { services: opened.services, database }
const server = await buildServer(deps)
const worker = buildWorker(deps)
const installation: TestInstallation = {
  server,
  deps,
  database,
  connection: bench.postgres.connection,
  visitor: () => new Client(server),
  close: async () => {
    await worker.close(0)
    await server.close()
    await opened.close()
    await database.close()
    await bench.close()
  },
}

const owner = await createAccount(installation, { email: `${newId()}@example.com` })
await database.pool.query(
  `INSERT INTO space_member (space_id, id, account_id, role) VALUES ($1, $2, $2, 'pjt-Admin')`,
  [bench.blog.spaceId, owner.id],
)
const clients = [
  owner.client,
  ...(await Promise.all(Array.from({ length: people - 1 }, () => signIn(installation, owner.id)))),
]
const url = '/api/project/bench/app/blog/model/article'
const { rows } = await database.pool.query<{ id: string }>(
  'SELECT id FROM document WHERE model_id = $1 ORDER BY md5(id) LIMIT 2000',
  [bench.blog.article.id],
)

/** Saves documents until `isOver` returns true. Returns the duration of each save in ms. */
async function save(isOver: () => boolean): Promise<number[]> {
  const times: number[] = []
  let turn = 0
  await Promise.all(
    clients.map(async (client) => {
      while (!isOver()) {
        const id = rows[turn++ % rows.length]?.id
        const started = performance.now()
        ok(await client.put(`${url}/doc/${id}`, { doc: { title: `記事 ${turn}` }, type: 'PUBLISH' }))
        times.push(performance.now() - started)
        await sleep(20)
      }
    }),
  )
  return times
}

function report(name: string, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0)
  console.log(
    `${name}: ${times.length} saves, median ${median(times).toFixed(0)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
  )
}

try {
  console.log(`${machine()}, ${documents} articles of ${bodyBytes} bytes`)
  await save(
    (
      (until) => () =>
        performance.now() > until
    )(performance.now() + 2_000),
  ) // The first saves are a warm-up.
  const end = performance.now() + beforeFor
  report('before', await save(() => performance.now() > end))

  const { model } = ok(await owner.client.get(url))
  const fields = model.fields.map(({ _id, uid, name, type, ...rest }: Field) =>
    uid === field ? { _id, uid, name, type: 'MARKDOWN' } : { _id, uid, name, type, ...rest },
  )
  let counting = true
  const whileCounting = save(() => !counting)
  const begun = performance.now()
  ok(await owner.client.put(url, { data: { fields }, acceptLoss: true }))
  counting = false
  report('while losses are counted', await whileCounting)
  const changed = performance.now()
  console.log(`the change itself: ${((changed - begun) / 1000).toFixed(1)} s`)

  let converting = true
  const whileConverting = save(() => !converting)
  let done = 0
  for (;;) {
    const { conversion } = ok(await owner.client.get(url)).model
    done = conversion === null ? documents : conversion.done
    if (conversion === null || performance.now() - changed > seconds * 1000) break
    await sleep(250)
  }
  converting = false
  const times = await whileConverting
  report('while documents are converted', times)
  const took = (performance.now() - changed) / 1000
  console.log(`${done} converted in ${took.toFixed(0)} s, ${Math.round(done / took)} a second`)
  if (Math.max(...times) > target) process.exitCode = 1
} finally {
  await installation.close()
}
