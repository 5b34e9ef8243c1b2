import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import { createSession } from '#server/access/sessions.ts'
import { loadConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/connection.ts'
import { startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'
import { cookieName } from '#server/http/browsers/cookie-jar.ts'
import { migrateQueue } from '#server/jobs/queue-schema.ts'
import { newId } from '#server/lib/ids.ts'
import { openServices } from '#server/open-services.ts'
import { buildServer } from '#server/server.ts'
import { dataFolder, machine, median } from './options.ts'
import { shareOfSave } from './share-of-save.ts'

/*
 * Measures a space with 5,000 members, 200 roles and 1,000,000 audit log entries: server time of each list of members,
 * roles, invitations and audit log entries, from the request to the response. Also measures the share of a save that
 * permission checks and the audit log take.
 */

const people = 5_000
const ownRoles = 200
const entries = 1_000_000
const rounds = 30

const folder = dataFolder ? resolve(dataFolder) : mkdtempSync(join(tmpdir(), 'imori-people-'))
mkdirSync(folder, { recursive: true })
const secrets = {
  sessionKey: 'only for this bench '.repeat(3),
  encryptionKeys: [Buffer.alloc(32, 7).toString('base64')],
}
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: console.warn })
// The management API has a single connection, so that its CPU time can be read.
const database = await openDatabase(postgres.connection, console.warn, {
  management: 1,
  delivery: 1,
  jobs: 1,
})
await migrate(database)
await migrateQueue(database)
const db = database.kysely
const config = loadConfig({ IMORI_LOG_LEVEL: 'silent', IMORI_DATA: folder, IMORI_SIGNUP: 'open' })
const opened = openServices({ config, secrets, database })
const server = await buildServer({ services: opened.services, database })

const email = 'admin@example.com'
/** A folder of an earlier run already contains the account. */
const kept = await db.selectFrom('account').select('id').where('email', '=', email).executeTakeFirst()
const admin = kept?.id ?? newId()
if (!kept)
  await db.insertInto('account').values({ id: admin, email, email_key: email, name: '管理者' }).execute()
const cookie = `${cookieName(config, 'sid')}=${await createSession(db, secrets, admin)}`
const { csrfToken } = await call('GET', '/api/auth/csrfToken')

// biome-ignore lint/suspicious/noExplicitAny: responses of many endpoints
async function call(method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown): Promise<any> {
  const answer = await server.inject({
    method,
    url,
    headers: { cookie, ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }) },
    ...(body === undefined ? {} : { payload: body as object }),
  })
  if (answer.statusCode !== 200) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`)
  return answer.json()
}

async function fill(): Promise<void> {
  await call('POST', '/api/project', { project: { uid: 'team', name: 'チーム' } })
  await call('POST', '/api/project/team/app', { data: { uid: 'site', name: 'サイト' } })
  const fields = [
    { uid: 'title', name: 'タイトル', type: 'TEXT', required: true },
    { uid: 'body', name: '本文', type: 'RICH_TEXT' },
  ]
  const model = '/api/project/team/app/site/model'
  await call('POST', model, { data: { uid: 'article', name: '記事', fields } })
  const { id: spaceId } = await db.selectFrom('space').select('id').executeTakeFirstOrThrow()
  const { id: appId } = await db.selectFrom('app').select('id').executeTakeFirstOrThrow()
  const hex = (salt: string) => sql`substr(encode(sha256((n || ${salt})::text::bytea), 'hex'), 1, 24)`
  await sql`INSERT INTO role (space_id, target, uid, name, rights, position)
    SELECT ${spaceId}, 'project', 'role-' || n, '役割 ' || n, '{space.view,asset.read}', n
    FROM generate_series(1, ${ownRoles}) AS n`.execute(db)
  await sql`INSERT INTO account (id, email, email_key, name)
    SELECT ${hex('account')}, 'person' || n || '@example.com', 'person' || n || '@example.com', '山田 花子 ' || n
    FROM generate_series(1, ${people}) AS n`.execute(db)
  await sql`INSERT INTO space_member (space_id, id, account_id, role, created_at)
    SELECT ${spaceId}, ${hex('member')}, ${hex('account')}, 'role-' || (1 + n % ${ownRoles}), now() - n * interval '1 hour'
    FROM generate_series(1, ${people}) AS n`.execute(db)
  await sql`INSERT INTO app_member (space_id, app_id, member_id, role, created_at)
    SELECT ${spaceId}, ${appId}, ${hex('member')}, 'app-Editor', now() - n * interval '1 hour'
    FROM generate_series(1, ${people}) AS n`.execute(db)
  // The entries cover a year. Every tenth is by the same busy person, every hundredth is a refusal, and one in a
  // thousand is about security settings.
  const perEntry = Math.floor((365 * 86_400_000) / entries)
  // The indexes are created after the bulk insert.
  const { rows: indexes } = await sql<{ name: string; made: string }>`
    SELECT indexname AS name, indexdef AS made FROM pg_indexes
    WHERE tablename = 'audit_entry' AND indexname <> 'audit_entry_pkey'`.execute(db)
  const million =
    sql`INSERT INTO audit_entry (space_id, id, xact, act, outcome, actor_kind, actor_id, actor_name, ip, agent,
      object_kind, object_id, object_name, details)
    SELECT ${spaceId}, ((extract(epoch FROM now()) * 1000)::bigint - 1735689600000 - n::bigint * ${perEntry}) * 4096, 1,
      CASE WHEN n % 1000 = 7 THEN 'security.update' ELSE 'document.save' END,
      CASE WHEN n % 100 = 3 THEN 'Forbidden' ELSE 'done' END, 'account',
      CASE WHEN n % 10 = 0 THEN ${admin} ELSE substr(encode(sha256(((1 + n % ${people}) || 'account')::text::bytea), 'hex'), 1, 24) END,
      '山田 花子 ' || (1 + n % ${people}), '203.0.113.' || (n % 250), 'Mozilla/5.0 (X11; Linux x86_64)',
      CASE WHEN n % 1000 = 7 THEN 'security' ELSE 'document' END,
      substr(encode(sha256(((n % 20000) || 'document')::text::bytea), 'hex'), 1, 24), '記事 ' || (n % 20000),
      '{"app": "site", "model": "article", "changes": [{"key": "status", "before": "draft", "after": "published"}]}'
    FROM generate_series(1, ${entries}) AS n`.compile(db)
  const client = await database.pool.connect()
  await client.query('SET statement_timeout = 0')
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`)
  await client.query(million.sql, [...million.parameters])
  for (const { made } of indexes) await client.query(made)
  for (const table of ['account', 'space_member', 'app_member', 'role', 'audit_entry'])
    await client.query(`VACUUM ANALYZE ${table}`)
  client.release(true)
  await sql`INSERT INTO audit_seal (space_id, number, from_xact, to_xact, entries, total, hash)
    VALUES (${spaceId}, 1, 0, 2, ${entries}, ${entries}, sha256('bench'))`.execute(db)
}

async function time(work: () => Promise<unknown>, times = rounds) {
  const taken: number[] = []
  for (let round = 0; round < times; round++) {
    const started = performance.now()
    await work()
    taken.push(performance.now() - started)
  }
  return { typical: median(taken), best: Math.min(...taken) }
}

try {
  if (!kept) {
    console.log(`Writing ${people} members, ${ownRoles} roles and ${entries} entries …`)
    await fill()
  }
  const model = '/api/project/team/app/site/model/article'
  const p = '/api/project/team'
  const page = encodeURIComponent
  const log = `${p}/auditLog`
  const document = await sql<{ id: string }>`
    SELECT object_id AS id FROM audit_entry WHERE object_kind = 'document' LIMIT 1`.execute(db)
  const somebody = await sql<{ id: string }>`
    SELECT account_id AS id FROM space_member ORDER BY id LIMIT 1`.execute(db)
  const day = (ago: number) => page(new Date(Date.now() - ago * 86_400_000).toISOString())
  const lists: [name: string, url: string][] = [
    ['members, first page', `${p}/members?limit=50`],
    ['members, page 90', `${p}/members?limit=50&skip=4450`],
    ['members by words', `${p}/members?limit=50&search=${page('花子 49')}`],
    ['members by words that nobody has', `${p}/members?limit=50&search=${page('鼈')}`],
    ['members of a role', `${p}/members?limit=50&role=role-7`],
    ['members of the app, page 90', `${p}/app/site/members?limit=50&skip=4450`],
    ['roles', `${p}/role`],
    ['invitations', `${p}/invitation`],
    ['audit log, first page', log],
    ['audit log, of one person', `${log}?person=${somebody.rows[0]?.id}`],
    ['audit log, of a busy person', `${log}?person=${admin}`],
    ['audit log, of one thing', `${log}?object=${document.rows[0]?.id}`],
    ['audit log, of a day half a year ago', `${log}?from=${day(181)}&to=${day(180)}`],
    ['audit log, by words that all have', `${log}?search=${page('山田')}`],
    ['audit log, by words that few have', `${log}?search=${page('記事 1999')}`],
    ['audit log, by words that none has', `${log}?search=${page('鼈')}`],
    ['audit log, refusals', `${log}?outcome=refused`],
    ['audit log, of one kind', `${log}?kind=security`],
    ['audit log, refusals of a busy person', `${log}?outcome=refused&person=${admin}`],
  ]
  console.log(
    `${machine()}; milliseconds from the request to the answer, median (best) of ${rounds}; load average ${loadavg()[0]?.toFixed(1)}\n`,
  )
  console.log('| list | ms |\n|---|---|')
  for (const [name, url] of lists) {
    await call('GET', url)
    const { typical, best } = await time(() => call('GET', url))
    console.log(`| ${name} | ${typical.toFixed(1)} (${best.toFixed(1)}) |`)
  }

  const { document: made } = await call('POST', `${model}/doc`, { document: { title: '題' } })
  let saved = 0
  const save = () =>
    call('PUT', `${model}/doc/${made._id}`, { doc: { title: `題 ${++saved}` }, type: 'SAVE' })
  console.log(`\n${await shareOfSave(db, admin, save)}`)
} finally {
  await server.close()
  await opened.close()
  await database.close()
  await postgres.stop()
  if (!dataFolder) rmSync(folder, { recursive: true, force: true })
}
