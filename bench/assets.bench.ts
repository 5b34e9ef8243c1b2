import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '#server/db/connection.ts'
import { startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'
import { enterSpace, spaceScope } from '#server/db/scope.ts'
import {
  type AssetFilter,
  type AssetOrder,
  listAssets,
} from '#server/features/assets/asset-list.repository.ts'
import { migrateQueue } from '#server/jobs/queue-schema.ts'
import { fillLibrary, id } from './library.ts'

/*
 * Measures pages of a library of 50,000 assets: server time of the statements, in a transaction as in the management
 * API.
 */

const assets = 50_000
const rounds = 20

/** Returns the CPU time of a process in ms, with a resolution of 10 ms. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const folder = mkdtempSync(join(tmpdir(), 'imori-bench-'))
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: console.warn })
const database = await openDatabase(postgres.connection)
try {
  await migrate(database)
  await migrateQueue(database)
  const db = database.kysely
  const { id: spaceId } = await db
    .insertInto('space')
    .values({ uid: 'bench', name: 'bench' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const scope = spaceScope(spaceId)
  await fillLibrary(db, spaceId, assets)

  const cases: [string, AssetFilter, AssetOrder?, number?][] = [
    ['first page', {}],
    ['page 500', {}, '-createdAt', 25_000],
    ['by name', {}, 'fileName'],
    ['by size, largest first', {}, '-fileSize'],
    ['search, rare (地図-1234)', { search: '地図-1234' }],
    ['search, nothing (りんご飴)', { search: 'りんご飴' }],
    ['search, one character (猫)', { search: '猫' }],
    ['search, common (写真)', { search: '写真' }],
    ['search, in nearly all (jpg)', { search: 'jp' }],
    ['search, two words (春の ろご)', { search: '春の ろご' }],
    ['pictures', { accept: ['image/*'] }],
    ['PDF', { accept: ['.pdf'] }],
    ['one uploader', { createdBy: id('c', 3) }],
    ['one tag', { tags: [`aaaa${'4'.padStart(20, '0')}`] }],
    ['no tags', { tags: 'none' }],
    ['pictures nobody described', { missingAlt: true }],
    ['duplicates', { duplicates: true }],
    ['search with a tag', { search: '海', tags: [`aaaa${'4'.padStart(20, '0')}`] }],
    ['search without tags', { search: '海', tags: 'none' }],
    ['search among pictures of one uploader', { search: '海', accept: ['image/*'], createdBy: id('c', 3) }],
  ]
  console.log(
    `${assets} assets; of ${rounds} rounds median, worst, and PostgreSQL's processor time on average, in ms, with the exact total`,
  )
  for (const [name, filter, order = '-createdAt', offset = 0] of cases) {
    const times: number[] = []
    let [total, cpu] = [0, 0]
    for (let round = 0; round < rounds; round++)
      await db.transaction().execute(async (tx) => {
        await enterSpace(tx, scope)
        const { pid } = (await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx)).rows[0] ?? {
          pid: 0,
        }
        const [before, cpuBefore] = [performance.now(), cpuOf(pid)]
        total = (await listAssets(tx, scope, filter, { order, limit: 50, offset })).total
        times.push(performance.now() - before)
        cpu += cpuOf(pid) - cpuBefore
      })
    times.sort((a, b) => a - b)
    const [median = 0, worst = 0] = [times[Math.floor(rounds / 2)], times.at(-1)]
    const figures = [median, worst, cpu / rounds].map((figure) => figure.toFixed(1).padStart(7))
    console.log(`${figures.join(' ')}  ${name}: ${total}`)
  }
} finally {
  await database.close()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
