import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#server/db/connection.ts'
import { startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'
import { migrateQueue } from '#server/jobs/queue-schema.ts'
import { insertForm } from '../test/forms.ts'
import { close, measure, request, start, whole } from './measuring.ts'
import { machine, median, moveToBackEnd, rounds, seconds } from './options.ts'

/*
 * Measures how many submissions of 8 KB a form accepts per second, each durable before its response: sent by many
 * visitors through a proxy, as browsers encode them. Checks that every acknowledged submission is stored.
 */

const target = 1_000
const connections = 64
const addresses = 2_000
const bodyBytes = 8 * 1024

const dataDir = mkdtempSync(join(tmpdir(), 'imori-forms-'))
moveToBackEnd()
const postgres = await startEmbeddedPostgres({ dataDir, log: console.warn })
const database = await openDatabase(postgres.connection, console.warn)
try {
  await migrate(database)
  await migrateQueue(database)
  const { id } = await database.kysely
    .insertInto('space')
    .values({ uid: 'team', name: 'チーム', time_zone: 'Asia/Tokyo' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { formId } = await insertForm(database.kysely, id, { key: 'benchForm' })
  process.env.IMORI_TRUST_PROXY = '1'
  const sessionKey = 'only for this bench '.repeat(3)
  const [server, port] = await start(
    'delivery-server.ts',
    JSON.stringify(postgres.connection),
    sessionKey,
    dataDir,
  )
  const postmaster = Number(readFileSync(join(dataDir, 'database/postmaster.pid'), 'utf8').split('\n')[0])
  const requests = Array.from({ length: addresses }, (_, n) => submission(formId, n))
  console.log(`${machine()}, load ${loadavg()[0]?.toFixed(1)}, ${connections} connections`)
  const runs = []
  for (let round = 0; round < rounds; round++) {
    const before = await count()
    const run = await measure(port, { name: 'forms', connections, requests }, [server.pid ?? 0, postmaster])
    const stored = (await count()) - before
    console.log(
      `${whole(run.perSecond)} submissions per second in ${seconds} s, 95 % within ${run.p95.toFixed(1)} ms, ` +
        `CPU time of each ${whole(run.cpu)} µs (server ${whole(run.own)} µs), ` +
        `acknowledged ${run.all}, stored ${stored}`,
    )
    // Requests that were sent when the load ended may be stored without a response.
    if (stored < run.all) throw new Error('An acknowledged submission is missing')
    runs.push(run)
  }
  const rate = median(runs.map(({ perSecond }) => perSecond))
  const p95 = median(runs.map(({ p95 }) => p95))
  console.log(
    `${rate >= target ? '✓' : '✗'} median ${whole(rate)} submissions per second (target ${whole(target)}), 95 % within ${p95.toFixed(1)} ms`,
  )
} finally {
  await close()
  await database.close()
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function count(): Promise<number> {
  const { rows } = await database.pool.query('SELECT count(*)::int AS count FROM form_submission')
  return rows[0]?.count ?? 0
}

/** Returns the request of one visitor: fields of a contact form, with a Japanese message that fills the body. */
function submission(formId: string, visitor: number): string {
  const body = new URLSearchParams({
    お名前: '山田花子',
    email: `hanako${visitor}@example.com`,
    件名: 'お問い合わせ 00000000',
  })
  body.append('本文', '')
  const sentence = encodeURIComponent('庭の池にいるイモリの写真を、サイトで使わせていただけますか。')
  const room = bodyBytes - body.toString().length
  const text = `${body}${sentence.repeat(Math.floor(room / sentence.length))}`
  return request(
    'POST',
    `/team.form/v1/${formId}`,
    {
      'X-Forwarded-For': `198.18.${visitor >> 8}.${visitor & 255}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(Buffer.byteLength(text)),
      Accept: 'application/json',
      'Accept-Language': 'ja,en;q=0.8',
      Origin: 'https://site.example',
      Referer: 'https://site.example/contact',
      'User-Agent':
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36',
    },
    text,
  )
}
