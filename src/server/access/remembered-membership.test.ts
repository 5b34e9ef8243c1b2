import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Tables } from '#server/db/tables.ts'
import { newId } from '#server/lib/ids.ts'
import {
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
  unique,
} from '#test/factories.ts'
import { lengthOf } from '#test/full-length.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { admit } from './membership.ts'

let installation: TestInstallation
let admin: TestAccount
let pool: pg.Pool
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  pool = installation.database.pool
})
afterAll(() => installation?.close())

let space: { uid: string; url: string }
let app: { uid: string; url: string }
let model: { url: string }
let member: TestAccount & { memberId: string }
let id: number
beforeEach(async () => {
  space = await createSpace(admin.client)
  app = await createApp(admin.client, space)
  model = await createModel(admin.client, app)
  member = await createMember(installation, space, 'pjt-Member', {
    admin: admin.client,
    url: app.url,
    role: 'app-Editor',
  })
  id = (await one('SELECT id FROM space WHERE uid = $1 AND deleted_at IS NULL', [space.uid])).id
  // These two requests make the server cache the memberships of the app and of the space.
  ok(await write())
  ok(await member.client.get(space.url))
})

const write = () => member.client.post(`${model.url}/doc`, { document: { title: '題' } })
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
// biome-ignore lint/suspicious/noExplicitAny: rows of many tables
async function one(text: string, values: unknown[] = []): Promise<any> {
  return (await pool.query(text, values)).rows[0]
}
const version = async () =>
  (await one('SELECT version FROM space_policy WHERE space_id = $1', [id])).version as string

/** Returns the tables that admission reads, according to PostgreSQL's plans of its statements. */
async function tablesRead(): Promise<Set<string>> {
  const asked: { sql: string; parameters: readonly unknown[] }[] = []
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  })
  await db.transaction().execute(async (tx) => {
    await admit(tx, member.id, { space: space.uid, app: app.uid })
    await sql`RESET ROLE`.execute(tx)
    await admit(tx, member.id, { space: space.uid })
  })
  const read = new Set<string>()
  for (const { sql: text, parameters } of asked.filter((query) => query.sql.startsWith('select'))) {
    const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${text}`, [...parameters])
    for (const [, table] of JSON.stringify(rows).matchAll(/"Relation Name":"(\w+)"/g))
      read.add(table as string)
  }
  return read
}

describe('the version of a space’s policy', () => {
  it('is changed by triggers on exactly the other tables that admission reads', async () => {
    const { rows } = await pool.query(
      `SELECT DISTINCT relname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
       WHERE tgfoid = 'change_space_policy'::regproc AND tgenabled = 'O'`,
    )
    const followed = rows.map(({ relname }) => relname)
    const read = await tablesRead()
    expect(read.delete('space_policy')).toBe(true)
    expect([...read].sort()).toEqual(followed.sort())
  })

  it('changes with the space, its security, roles, apps and members, but not with visits', async () => {
    const changes = [
      `UPDATE space SET name = 'neu' WHERE id = $1`,
      `INSERT INTO space_security (space_id) VALUES ($1)`,
      `UPDATE space_security SET session_hours = 3 WHERE space_id = $1`,
      `DELETE FROM space_security WHERE space_id = $1`,
      `INSERT INTO role (space_id, target, uid, rights) VALUES ($1, 'project', 'own', '{space.view}')`,
      `UPDATE role SET rights = '{}' WHERE space_id = $1`,
      `DELETE FROM role WHERE space_id = $1`,
      `UPDATE space_member SET role = 'pjt-Admin' WHERE space_id = $1 AND id = '${member.memberId}'`,
      `UPDATE app SET visibility = 'private' WHERE space_id = $1`,
      `UPDATE app_member SET role = 'app-Admin' WHERE space_id = $1`,
      `DELETE FROM app_member WHERE space_id = $1 AND member_id = '${member.memberId}'`,
      `INSERT INTO app_member (space_id, app_id, member_id, role) SELECT $1, id, '${member.memberId}', 'app-Editor' FROM app WHERE space_id = $1`,
      `DELETE FROM space_member WHERE space_id = $1 AND id = '${member.memberId}'`,
      `INSERT INTO space_member (space_id, id, account_id, role) VALUES ($1, '${newId()}', '${member.id}', 'pjt-Member')`,
      `UPDATE app SET deleted_at = now() WHERE space_id = $1`,
    ]
    const seen = new Set([await version()])
    for (const [index, change] of changes.entries()) {
      await pool.query(change, [id])
      expect([change, seen.add(await version()).size]).toEqual([change, index + 2])
    }
    const other = await createSpace(admin.client)
    const before = await version()
    await pool.query('UPDATE space_member SET last_seen_at = now() WHERE space_id = $1', [id])
    await pool.query('UPDATE space SET name = name WHERE id = $1', [id])
    ok(await createApp(admin.client, other).then(({ url }) => admin.client.get(url)))
    expect(await version()).toBe(before)
  })

  it('changes for other connections when the transaction commits, and does not block concurrent changes', async () => {
    const [first, second] = [await pool.connect(), await pool.connect()]
    try {
      const before = await version()
      for (const [client, role] of [
        [first, 'app-Author'],
        [second, 'app-Subscriber'],
      ] as const) {
        await client.query('BEGIN')
        const uid = role.toLowerCase()
        await client.query(
          `INSERT INTO role (space_id, target, uid, rights) VALUES ($1, 'project', $2, '{space.view}')`,
          [id, `x-${uid}`],
        )
      }
      expect(await version()).toBe(before)
      await second.query('COMMIT')
      const between = await version()
      await first.query('COMMIT')
      expect(new Set([before, between, await version()]).size).toBe(3)
    } finally {
      first.release(true)
      second.release(true)
    }
  })

  it('changes when a built-in role changes, and differs between spaces', async () => {
    const before = await version()
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(`UPDATE role SET position = position WHERE space_id IS NULL`)
      await client.query('SET CONSTRAINTS ALL IMMEDIATE')
      const { rows } = await client.query(
        'SELECT count(*) = count(DISTINCT version) AS own FROM space_policy',
      )
      expect(rows[0].own).toBe(true)
      const now = await client.query('SELECT version FROM space_policy WHERE space_id = $1', [id])
      expect(now.rows[0].version).not.toBe(before)
    } finally {
      client.release(true)
    }
  })

  it('is updated once for 3,000 changed rows, and cannot be updated by the database role of members', async () => {
    await pool.query(
      `INSERT INTO role (space_id, target, uid, rights) SELECT $1, 'project', 'many-' || n, '{space.view}'
       FROM generate_series(1, 3000) AS n`,
      [id],
    )
    const held = await pool.connect()
    try {
      const updated = async () => {
        const count = `SELECT pg_stat_get_xact_tuples_updated('space_policy'::regclass)::int AS updated`
        return (await held.query(count)).rows[0].updated as number
      }
      await held.query('BEGIN')
      const before = await updated()
      await held.query(`UPDATE role SET name = 'x' WHERE space_id = $1`, [id])
      await held.query('SET CONSTRAINTS ALL IMMEDIATE')
      expect((await updated()) - before).toBe(1)
      await held.query('ROLLBACK')
      await held.query('BEGIN')
      await held.query(
        `SELECT set_config('imori.space_id', $1, true), set_config('role', 'imori_member', true)`,
        [String(id)],
      )
      await expect(held.query('UPDATE space_policy SET version = version')).rejects.toThrow(
        'permission denied',
      )
    } finally {
      held.release(true)
    }
  })
})

describe('the cached membership', () => {
  it('does not apply after the role, the app, a security requirement or the membership changed', async () => {
    const away: [change: string, back: string, refused: [number, string]][] = [
      [
        `UPDATE app_member SET role = 'app-Subscriber'`,
        `UPDATE app_member SET role = 'app-Editor'`,
        [403, 'Forbidden'],
      ],
      [
        `UPDATE app_member SET role = 'none'`,
        `UPDATE app_member SET role = 'app-Editor'`,
        [403, 'Forbidden'],
      ],
      [`UPDATE app SET deleted_at = now()`, `UPDATE app SET deleted_at = NULL`, [404, 'NotFound']],
      [`UPDATE app SET uid = 'moved'`, `UPDATE app SET uid = '${app.uid}'`, [404, 'NotFound']],
      [
        `INSERT INTO space_security (ip_ranges, space_id) SELECT '{192.0.2.0/24}', $1`,
        `DELETE FROM space_security`,
        [403, 'IpAddressNotAllowed'],
      ],
      [
        `INSERT INTO space_security (second_factor, space_id) SELECT true, $1`,
        `DELETE FROM space_security`,
        [403, 'SecondFactorRequired'],
      ],
      [
        `INSERT INTO space_security (sso_required, space_id) SELECT true, $1`,
        `DELETE FROM space_security`,
        [403, 'SsoRequired'],
      ],
    ]
    const inSpace = (text: string) =>
      pool.query(text.startsWith('INSERT') ? text : `${text} WHERE space_id = $1`, [id])
    for (const [change, back, refused] of away) {
      await inSpace(change)
      expect([change, ...codeOf(await write())]).toEqual([change, ...refused])
      await inSpace(back)
      expect([back, (await write()).status]).toEqual([back, 200])
    }
    await pool.query('DELETE FROM space_member WHERE id = $1', [member.memberId])
    expect(codeOf(await write())).toEqual([404, 'NotFound'])
    expect(codeOf(await member.client.get(space.url))).toEqual([404, 'NotFound'])
  })

  it('does not apply to a new space or app with the uid of a deleted space or app', async () => {
    ok(await admin.client.delete(app.url))
    const again = await createApp(admin.client, space, app.uid)
    ok(
      await admin.client.patch(again.url, {
        accessSettings: { visibility: 'private', defaultRole: 'app-Editor' },
      }),
    )
    expect(codeOf(await write())).toEqual([404, 'NotFound'])
    ok(await admin.client.delete(space.url))
    const stranger = await createAccount(installation)
    ok(await stranger.client.post('/api/project', { project: { uid: space.uid, name: '別' } }))
    for (const { client } of [member, admin])
      expect(codeOf(await client.get(space.url))).toEqual([404, 'NotFound'])
  })

  it('is not replaced by the membership of a previewed member', async () => {
    const as = { 'x-imori-view-as': member.memberId }
    const list = `${model.url}/doc`
    ok(await admin.client.get(list, as))
    await pool.query(`UPDATE app_member SET role = 'none' WHERE member_id = $1`, [member.memberId])
    expect(codeOf(await admin.client.get(list, as))).toEqual([403, 'Forbidden'])
    expect(codeOf(await member.client.get(list))).toEqual([403, 'Forbidden'])
    ok(await admin.client.post(list, { document: { title: '題' } }))
  })

  it('applies changed rights in a single model at the next request', async () => {
    const { model: made } = ok(await admin.client.get(model.url))
    const rights = ['document.read', 'document.write.own']
    const { role } = ok(await admin.client.post(`${app.url}/role`, { data: { name: unique('役'), rights } }))
    ok(await admin.client.patch(`${app.url}/member/${member.memberId}`, { roleId: role.uid }))
    const url = `${app.url}/role/${role.uid}`
    for (const [models, status] of [
      [{ [made._id]: { rights: [] } }, 404],
      [{}, 200],
      [{ [made._id]: { rights: ['document.read'] } }, 403],
    ] as const) {
      ok(await admin.client.put(url, { data: { rights, models } }))
      expect([models, (await write()).status]).toEqual([models, status])
    }
    await pool.query('DELETE FROM role WHERE uid = $1', [role.uid])
    expect(codeOf(await write())).toEqual([403, 'Forbidden'])
  })

  it('includes a new role and a changed app name at the next request', async () => {
    await pool.query(`UPDATE app_member SET role = 'app-Subscriber' WHERE member_id = $1`, [member.memberId])
    expect(codeOf(await write())).toEqual([403, 'Forbidden'])
    const { role } = ok(
      await admin.client.post(`${app.url}/role`, {
        data: { name: unique('役'), rights: ['document.read', 'document.write.own'] },
      }),
    )
    ok(await admin.client.patch(`${app.url}/member/${member.memberId}`, { roleId: role.uid }))
    ok(await write())
    await pool.query(`UPDATE app SET name = '新しい名' WHERE space_id = $1`, [id])
    expect(ok(await member.client.get(app.url)).app.name).toBe('新しい名')
  })

  it('is unaffected by an uncommitted or rolled back change of another connection', async () => {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(`UPDATE app_member SET role = 'app-Subscriber' WHERE member_id = $1`, [
        member.memberId,
      ])
      ok(await write())
      await client.query('ROLLBACK')
      ok(await write())
    } finally {
      client.release(true)
    }
  })

  it('applies each change of the role to the next write, even under concurrent requests', async () => {
    const roles = ['app-Subscriber', 'app-Editor'] as const
    for (let round = 0; round < lengthOf(20, 2_000); round++) {
      const role = roles[round % 2]
      const url = `${app.url}/member/${member.memberId}`
      const asking = Array.from({ length: 6 }, () => write())
      const changed = admin.client.patch(url, { roleId: role })
      ok(await changed)
      // Sent after the response to the change, while earlier requests may still be running.
      expect([role, (await write()).status]).toEqual([role, role === 'app-Editor' ? 200 : 403])
      for (const { status } of await Promise.all(asking)) expect([200, 403]).toContain(status)
    }
  })
})
