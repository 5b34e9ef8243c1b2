/** @module-tag full */
import { createHash } from 'node:crypto'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '#test/database.ts'
import { type Database, openDatabase } from './connection.ts'
import { migrate } from './migrate.ts'

/* Tests of migrations that change existing rows, on rows as earlier versions wrote them. */

const migrations = fileURLToPath(new URL('./migrations/', import.meta.url))

let folder: string
let testDatabase: TestDatabase
let database: Database
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-migrations-'))
  testDatabase = await createEmptyDatabase()
  database = await openDatabase(testDatabase.connection)
})
afterEach(async () => {
  await database?.close()
  await testDatabase?.drop()
  await rm(folder, { recursive: true })
})

/** Applies the migrations below this number. */
async function migrateTo(number: string): Promise<void> {
  for (const name of (await readdir(migrations)).filter((file) => file < number))
    await copyFile(join(migrations, name), join(folder, name))
  await migrate(database, folder)
}

const query = async (sql: string, values: unknown[] = []) => (await database.pool.query(sql, values)).rows
const id = (n: number) => n.toString(16).padStart(24, '0')
const hashOf = (address: string) => createHash('sha256').update(address).digest('hex')

/** Creates a space, and one account per name with the address `{name}@Example.com`. */
async function createWorld(names: readonly string[]) {
  const [{ space }] = await query(
    `INSERT INTO space (uid, name) VALUES ('acme', 'Acme') RETURNING id AS space`,
  )
  const addApp = async (uid: string): Promise<number> =>
    (await query(`INSERT INTO app (space_id, uid, name) VALUES ($1, $2, $2) RETURNING id`, [space, uid]))[0]
      .id
  const people = Object.fromEntries(names.map((name, index) => [name, id(0xa00 + index)]))
  for (const [name, account] of Object.entries(people))
    await query(
      `INSERT INTO account (id, email, email_key, name, password_hash) VALUES ($1, $2, lower($2), $3, 'x')`,
      [account, `${name}@Example.com`, name],
    )
  /** Adds accounts as members. The id of a membership is the id of the account with its first digit replaced by 1. */
  const join = async (...some: string[]) => {
    for (const name of some)
      await query(
        `INSERT INTO space_member (space_id, id, account_id, role) VALUES ($1, $2, $3, 'pjt-Member')`,
        [space, memberOf(name), people[name]],
      )
  }
  const accountOf = (name: string) => people[name] ?? ''
  const memberOf = (name: string) => `1${accountOf(name).slice(1)}`
  return { space: space as number, addApp, join, accountOf, memberOf }
}

describe('migration 0120: roles of former app members', () => {
  it('are deleted for removed members, and kept for members who left', async () => {
    await migrateTo('0120')
    const { space, addApp, join, memberOf } = await createWorld(['left', 'taken', 'kept', 'both'])
    await join('left', 'taken', 'kept', 'both')
    const [blog, shop] = [await addApp('blog'), await addApp('shop')]
    const client = await database.pool.connect()
    /** Writes the row and the audit entry in one transaction, as the service did. */
    const leave = async (name: string, app: number, act: string, { outcome = 'done', ago = '0' } = {}) => {
      await client.query('BEGIN')
      if (outcome === 'done')
        await client.query(
          `INSERT INTO left_app (space_id, app_id, member_id, role, left_at)
           VALUES ($1, $2, $3, 'app-Admin', now() - $4::interval)`,
          [space, app, memberOf(name), ago],
        )
      await client.query(
        `INSERT INTO audit_entry (space_id, id, act, outcome, actor_kind, object_kind, object_id)
         VALUES ($1, ((extract(epoch FROM clock_timestamp() - $5::interval) * 1000)::bigint - 1735689600000) * 4096
           + nextval('audit_number'), $2, $3, 'account', 'member', $4)`,
        [space, act, outcome, memberOf(name), ago],
      )
      await client.query('COMMIT')
    }
    try {
      await leave('left', blog, 'member.leaveApp')
      await leave('taken', blog, 'member.removeFromApp')
      await leave('taken', shop, 'member.leaveApp', { ago: '1 hour' })
      await leave('kept', blog, 'member.leaveApp', { ago: '1 minute' })
      await leave('kept', blog, 'member.removeFromApp', { outcome: 'Forbidden' })
      await leave('both', blog, 'member.removeFromApp', { ago: '1 year' })
    } finally {
      client.release()
    }
    await migrate(database)
    expect(await query('SELECT member_id, app_id, role FROM left_app ORDER BY member_id, app_id')).toEqual([
      { member_id: memberOf('left'), app_id: blog, role: 'app-Admin' },
      { member_id: memberOf('taken'), app_id: shop, role: 'app-Admin' },
      { member_id: memberOf('kept'), app_id: blog, role: 'app-Admin' },
    ])
  })
})

/** Creates users of a directory and an identity provider, as stored before removals were recorded. */
async function createPeopleOfSso() {
  const names = ['member', 'former', 'inactive', 'returned', 'stranger']
  const world = await createWorld(names)
  const { space, join, accountOf, memberOf } = world
  await join('member', 'returned')
  const connection = id(0xc0)
  await query(
    `INSERT INTO sso_connection (space_id, id, kind, settings, groups_name, provisions, is_complete)
     VALUES ($1, $2, 'oidc', '{"issuer": "https://idp.example"}', 'groups', true, true)`,
    [space, connection],
  )
  await query(
    `INSERT INTO sso_domain (space_id, domain, challenge, proof) VALUES ($1, 'example.com', 'c', 'dns')`,
    [space],
  )
  for (const name of ['member', 'former', 'returned'])
    await query(
      `INSERT INTO sso_identity (connection_id, issuer, subject, space_id, account_id, made_account)
       VALUES ($1, 'https://idp.example', $2, $3, $4, true)`,
      [connection, name, space, accountOf(name)],
    )
  const addUser = (n: number, name: string, account: string | null, values: object) =>
    query(
      `INSERT INTO scim_user (space_id, id, member_id, account_id, user_name, user_name_key, attributes, kept)
       VALUES ($1, $2, $3, $4, $5, lower($5), $6, $7)`,
      [
        space,
        id(n),
        memberOf(name),
        account,
        `${name}@corp.example`,
        ...['attributes', 'kept'].map((key) => {
          const value = (values as Record<string, unknown>)[key]
          return value === undefined ? null : JSON.stringify(value)
        }),
      ],
    )
  return { ...world, connection, addUser }
}

describe('migration 0126: former members of a space', () => {
  it('are recorded by account, address and identity, unlike current members', async () => {
    await migrateTo('0126')
    const { space, accountOf, connection, addUser } = await createPeopleOfSso()
    const emails = [{ value: 'Inactive@Example.com', primary: true }, { type: 'work' }, 'text']
    await addUser(1, 'member', null, { attributes: { emails: [{ value: 'member@example.com' }] } })
    await addUser(2, 'inactive', accountOf('inactive'), { attributes: { emails } })
    await addUser(3, 'stranger', null, { attributes: { emails: 'none' } })
    await migrate(database)
    const rows = await query('SELECT who FROM removed_member WHERE space_id = $1', [space])
    const identity = (subject: string) => hashOf([connection, 'https://idp.example', subject].join('\n'))
    expect(rows.map(({ who }) => who).sort()).toEqual(
      [
        accountOf('former'),
        hashOf('former@example.com'),
        identity('former'),
        accountOf('inactive'),
        hashOf('inactive@example.com'),
        hashOf('inactive@corp.example'),
        hashOf('stranger@corp.example'),
      ].sort(),
    )
    // Other data of the connection is unchanged.
    expect(await query('SELECT account_id FROM sso_identity')).toHaveLength(3)
    expect(await query('SELECT count(*)::int AS count FROM account_known_as')).toEqual([{ count: 3 }])
    expect(await query('SELECT domain, proof FROM sso_domain')).toEqual([
      { domain: 'example.com', proof: 'dns' },
    ])
  })

  it('are not recorded if they are members again', async () => {
    await migrateTo('0126')
    const { space, accountOf, addUser } = await createPeopleOfSso()
    // The directory ended the membership, and an invitation began another one.
    const attributes = { emails: [{ value: 'returned@example.com' }] }
    await addUser(4, 'inactive', accountOf('returned'), { attributes })
    await migrate(database)
    const rows = await query(`SELECT who FROM removed_member WHERE space_id = $1 AND who = ANY($2::text[])`, [
      space,
      [accountOf('returned'), hashOf('returned@example.com')],
    ])
    expect(rows).toEqual([])
  })
})

describe('migration 0127: roles stored for a membership that a directory ended', () => {
  it('are kept unless a group mapping assigns them', async () => {
    await migrateTo('0127')
    const { space, addApp, addUser, accountOf } = await createPeopleOfSso()
    const [blog, shop] = [await addApp('blog'), await addApp('shop')]
    await query(
      `INSERT INTO group_role (space_id, position, name, role) VALUES ($1, 0, '編集部', 'pjt-Member')`,
      [space],
    )
    await query(
      `INSERT INTO group_app_role (space_id, app_id, position, name, role) VALUES ($1, $2, 0, '編集部', 'app-Editor')`,
      [space, blog],
    )
    const apps = [
      [blog, 'app-Editor'],
      [blog, 'app-Admin'],
      [shop, 'app-Editor'],
    ]
    const attributes = {}
    await addUser(1, 'inactive', accountOf('inactive'), { attributes, kept: { role: 'pjt-Member', apps } })
    await addUser(2, 'former', accountOf('former'), { attributes, kept: { role: 'pjt-Admin', apps: [] } })
    await addUser(3, 'member', null, { attributes })
    await migrate(database)
    // The order of apps is arbitrary.
    const users = await query('SELECT id, kept FROM scim_user ORDER BY id')
    for (const { kept } of users) kept?.apps.sort(([one]: [number], [other]: [number]) => one - other)
    expect(users).toEqual([
      {
        id: id(1),
        kept: {
          role: null,
          apps: [
            [blog, 'app-Admin'],
            [shop, 'app-Editor'],
          ],
        },
      },
      { id: id(2), kept: { role: 'pjt-Admin', apps: [] } },
      { id: id(3), kept: null },
    ])
    const members = await query('SELECT signed_in_after FROM space_member')
    expect(members.map((member) => member.signed_in_after)).toEqual([null, null])
  })
})

describe('migration 0131: a row of the table `move`', () => {
  it('gets the kind that its other columns imply', async () => {
    await migrateTo('0131')
    const { space, addApp } = await createWorld([])
    const app = await addApp('blog')
    const newt = { source: { kind: 'newt' } }
    const imori = { source: { kind: 'imori' } }
    const kinds = new Map<string, string>()
    const add = async (n: number, kind: string, values: Record<string, unknown>) => {
      kinds.set(id(n), kind)
      const all = { space_id: space, id: id(n), file_name: 'a.zip', file_size: 1, ...values }
      const names = Object.keys(all)
      await query(
        `INSERT INTO move (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
        Object.values(all),
      )
    }
    await add(1, 'unknown', { state: 'uploading' })
    await add(2, 'unknown', { state: 'checking' })
    await add(3, 'unknown', { state: 'refused', problem: { code: 'notAnArchive' } })
    await add(4, 'contents', { state: 'planned', plan: newt })
    await add(5, 'contents', { state: 'accepted', plan: newt, app_id: app })
    await add(6, 'carried', { state: 'imported', plan: imori, app_id: app })
    await add(7, 'carried', { state: 'undone', plan: imori })
    await add(8, 'several', { state: 'planned' })
    await add(9, 'contents', { state: 'planned', plan: newt, parent_id: id(8), part: 'blog' })
    await add(10, 'carried', { state: 'planned', plan: imori, parent_id: id(8), part: 'shop', chosen: false })
    await add(11, 'update', { state: 'planned', updates: id(5), changes: {}, app_id: app })
    await add(12, 'update', {
      state: 'refused',
      updates: id(5),
      problem: { code: 'otherSource' },
      app_id: app,
    })
    await add(13, 'import', { state: 'accepted', updates: id(13), changes: {}, plan: newt, app_id: app })
    await add(14, 'import', { state: 'uploading', updates: id(14), app_id: app })
    await migrate(database)
    expect(new Map((await query('SELECT id, kind FROM move')).map((row) => [row.id, row.kind]))).toEqual(
      kinds,
    )
  })
})

describe('migration 0158: usage', () => {
  it('starts with the stored documents and assets, and before the next event', async () => {
    await migrateTo('0158')
    const { space, addApp } = await createWorld([])
    const [{ other }] = await query(
      `INSERT INTO space (uid, name) VALUES ('other', 'Other') RETURNING id AS other`,
    )
    const app = await addApp('blog')
    const [{ model }] = await query(
      `INSERT INTO model (space_id, app_id, public_id, uid, name) VALUES ($1, $2, $3, 'article', 'x') RETURNING id AS model`,
      [space, app, id(1)],
    )
    for (const [number, deletedAt] of [null, null, new Date()].entries())
      await query(
        `INSERT INTO document (space_id, model_id, id, shape, draft, deleted_at) VALUES ($1, $2, $3, 1, '{}', $4)`,
        [space, model, id(number), deletedAt],
      )
    for (const [number, size] of [10, 20].entries())
      await query(
        `INSERT INTO asset (space_id, id, file_name, media_type, size, storage_key, hash)
         VALUES ($1, $2, 'a', 'text/plain', $3, 'a', '')`,
        [space, id(number), size],
      )
    for (const position of [7, null, null])
      await query(
        `INSERT INTO event (space_id, type, payload, position) VALUES ($1, 'space.created', '{}', $2)`,
        [space, position],
      )
    await query(`SELECT setval('event_position', 7)`)
    await migrate(database)
    expect(await query('SELECT * FROM usage_stock ORDER BY space_id')).toEqual([
      { space_id: space, documents: 3, assets: 2, bytes: 30 },
      { space_id: other, documents: 0, assets: 0, bytes: 0 },
    ])
    expect(await query('SELECT position FROM event ORDER BY id')).toEqual([
      { position: 7 },
      { position: 8 },
      { position: 9 },
    ])
    expect(await query(`SELECT position FROM outbox_cursor WHERE name = 'usage'`)).toEqual([{ position: 9 }])
  })
})
