import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '#server/db/connection.ts'
import { startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'
import { enterSpace, spaceScope } from '#server/db/scope.ts'
import { type AssetFilter, type AssetOrder, listAssets } from '#server/features/assets/assets.list.ts'
import { searchGrams } from '#server/features/assets/assets.repository.ts'
import { searchKey } from '#server/features/assets/search-text.ts'
import { migrateQueue } from '#server/jobs/queue-schema.ts'

/* Pages of a library of 50,000 assets: server time of the statements, in a transaction as the management API has. */

const assets = 50_000
const rounds = 20

const subjects = ['桜', '海', '東京タワー', '猫', '会議室', 'ロゴ', '新製品', 'メニュー', '地図', 'お知らせ']
const scenes = ['朝の', '夜の', '春の', '夏の', '雨の日の', '社内の', '表紙用の', '募集の']
const endings = [
  ['jpg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['pdf', 'application/pdf'],
  ['mp4', 'video/mp4'],
] as const
const pick = <T>(list: readonly T[], at: number) => list[at % list.length] as T

/** Milliseconds of processor time that a process has had, to 10 of them. */
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
  const id = (prefix: string, at: number) => prefix + at.toString(16).padStart(24 - prefix.length, '0')
  await sql`INSERT INTO tag (space_id, id, name, name_key)
    SELECT ${spaceId}, ${'a'.repeat(4)} || lpad(to_hex(n), 20, '0'), 'タグ' || n, 'たぐ' || n FROM generate_series(0, 19) AS n`.execute(
    db,
  )
  for (let start = 0; start < assets; start += 1000) {
    const rows = Array.from({ length: 1000 }, (_, offset) => {
      const at = start + offset
      const [ending, media_type] = pick(endings, at % 7 < 3 ? 0 : at)
      const fileName = `${pick(scenes, at * 7)}${pick(subjects, at * 3)}-${at}.${ending}`
      const alt = at % 3 === 0 ? '' : `${pick(scenes, at)}${pick(subjects, at)}の写真です`
      const text = [fileName, alt].filter(Boolean).map(searchKey).join('\n')
      return {
        space_id: spaceId,
        id: id('', at),
        file_name: fileName,
        media_type,
        size: 1000 + ((at * 7919) % 5_000_000),
        storage_key: `1/aa/${at}`,
        hash: Buffer.from(String(at % 50 === 0 ? at : at - (at % 100 === 1 ? 1 : 0))),
        width: 1600,
        height: 1200,
        placeholder: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
        metadata: JSON.stringify({
          colors: ['#aabbcc', '#112233', '#445566'],
          exif: { Make: 'Camera', Model: 'X100' },
        }),
        alt_text: alt,
        created_by: id('c', at % 20),
        updated_by: id('c', at % 7),
        created_at: new Date(Date.UTC(2020, 0, 1) + at * 3_600_000),
        search_text: text,
        grams: searchGrams(text),
      }
    })
    await db.insertInto('asset').values(rows).execute()
    const tagged = rows.flatMap((row, at) =>
      at % 2
        ? []
        : [
            {
              space_id: spaceId,
              asset_id: row.id,
              tag_id: `aaaa${(at % 20).toString(16).padStart(20, '0')}`,
            },
          ],
    )
    await db.insertInto('asset_tag').values(tagged).execute()
  }
  await sql`VACUUM ANALYZE asset`.execute(db)
  await sql`VACUUM ANALYZE asset_tag`.execute(db)

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
