import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAppPictures } from '#server/delivery/app-pictures.ts'
import { createAssetRows } from '#server/delivery/asset-rows.ts'
import { createTokens } from '#server/delivery/tokens.ts'
import { newId } from '#server/lib/ids.ts'
import { putAsset } from '#test/asset-fixtures.ts'
import { createAccount, createApp, createModel, createSpace } from '#test/factories.ts'
import { lengthOf } from '#test/full-length.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { createRegistry } from './registry.ts'
import { createVersions, type SpaceVersions, type Versions } from './versions.ts'

type Part = Exclude<keyof SpaceVersions, 'library'>

let installation: TestInstallation
let pool: pg.Pool
let versions: Versions
let space: { uid: string; url: string }
let id: number
let token: string
let asset: string
beforeAll(async () => {
  installation = await startInstallation()
  pool = installation.database.pool
  versions = createVersions(installation.database)
  const admin = await createAccount(installation)
  space = await createSpace(admin.client)
  const app = await createApp(admin.client, space)
  await createModel(admin.client, app, 'article', [{ uid: 'title', name: 'Title', type: 'TEXT' }])
  token = ok(await admin.client.post(`${space.url}/cdnToken`, { data: { name: 't' } })).cdnToken.token
  asset = await putAsset(installation, space, { bytes: randomBytes(8) })
  id = (await pool.query('SELECT id FROM space WHERE uid = $1', [space.uid])).rows[0].id
})
afterAll(() => installation?.close())

const now = async () => {
  const found = await versions.ofSpace(id)
  if (!found) throw new Error('the space has no versions')
  return found
}
async function changedBy(work: () => Promise<unknown>): Promise<string[]> {
  const before = await now()
  await work()
  const after = await now()
  return (['tokens', 'models', 'files', 'library'] as const).filter((part) => before[part] !== after[part])
}

/** Returns all statements that fill the caches of the delivery API, by part. */
async function statementsOf(): Promise<Record<Part, { text: string; values: unknown[] }[]>> {
  const asked: Record<Part, { text: string; values: unknown[] }[]> = { tokens: [], models: [], files: [] }
  const spy = (part: Part) => {
    const query = (statement: string | { text: string; values: unknown[] }, values: unknown[] = []) => {
      const one = typeof statement === 'string' ? { text: statement, values } : statement
      asked[part].push({ text: one.text, values: one.values })
      return pool.query(one.text, one.values)
    }
    return { pool, deliveryPool: { query } as unknown as pg.Pool }
  }
  await createTokens(spy('tokens'), console.error).find(`Bearer ${token}`)
  const registry = createRegistry(spy('models'))
  await registry.space(id)
  await registry.close()
  await createAppPictures(spy('models'), versions)(space.uid, newId())
  const find = createAssetRows(spy('files'), versions)
  await find(space.uid, asset)
  await find(space.uid, 'formerly')
  return asked
}

/**
 * Returns the tables that these statements read according to PostgreSQL, and the `table.column`s that they use, without
 * the versions themselves.
 */
async function readBy(statements: { text: string; values: unknown[] }[]): Promise<string[]> {
  const found = new Set<string>()
  for (const { text, values } of statements) {
    const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${text}`, values)
    const aliases = new Map<string, string>()
    for (const [, table = '', alias = ''] of JSON.stringify(rows).matchAll(
      /"Relation Name":"(\w+)","Alias":"(\w+)"/g,
    ))
      aliases.set(alias, table)
    for (const table of aliases.values()) found.add(table)
    for (const [, alias = '', column] of text.matchAll(/\b(\w+)\.(\w+)\b/g))
      if (aliases.has(alias)) found.add(`${aliases.get(alias)}.${column}`)
  }
  return [...found].filter((name) => !/^(space_delivery|model_stat)\b/.test(name)).sort()
}

describe("the version of a space's cached data", () => {
  it('is changed by triggers on the tables and columns from which the data is read', async () => {
    const { rows } = await pool.query<{ table: string; part: Part; columns: string[] }>(
      `SELECT c.relname AS table, part,
         ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY(t.tgattr)) AS columns
       FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid,
         unnest(string_to_array(trim(TRAILING '\\000' FROM encode(t.tgargs, 'escape')), '\\000')) AS part
       WHERE tgfoid = 'change_space_delivery'::regproc AND tgenabled = 'O' AND t.tgtype & 16 > 0`,
    )
    for (const [part, statements] of Object.entries(await statementsOf())) {
      const read = await readBy(statements)
      const followed = rows.filter((row) => row.part === part)
      const tables = read.filter((name) => !name.includes('.'))
      expect([part, tables]).toEqual([part, followed.map(({ table }) => table).sort()])
      for (const { table, columns } of followed.filter((row) => row.columns.length > 0)) {
        // Identifiers of rows do not change, so they need no trigger.
        const known = new Set(['id', 'space_id', ...columns].map((column) => `${table}.${column}`))
        const ofTable = read.filter((name) => name.startsWith(`${table}.`))
        expect(ofTable.filter((name) => !known.has(name))).toEqual([])
        expect(ofTable.length).toBeGreaterThan(4)
      }
    }
  })

  it.each<[string, string[]]>([
    [`UPDATE token SET app_ids = '{}'`, ['tokens']],
    [`UPDATE token SET last_used_at = now()`, []],
    [`INSERT INTO space_security (space_id, token_ip_ranges) VALUES ($1, '{192.0.2.0/24}')`, ['tokens']],
    [`DELETE FROM space_security`, ['tokens']],
    [`UPDATE app SET name = '別'`, ['models']],
    [`UPDATE model SET uid = 'story'`, ['models']],
    [`UPDATE asset SET is_private = true`, ['files']],
    [`UPDATE asset SET alt_text = '池'`, ['library']],
    [`UPDATE asset SET deleted_at = now()`, ['files', 'library']],
    [`UPDATE asset SET grams = '{}'`, []],
    [`INSERT INTO image_settings (space_id, settings) VALUES ($1, '{}')`, ['files']],
    [`UPDATE space SET deleted_at = now()`, ['tokens', 'models', 'files']],
    [`UPDATE space SET deleted_at = NULL`, ['tokens', 'models', 'files']],
    [`UPDATE space_member SET role = role`, []],
    [`DELETE FROM token`, ['tokens']],
  ])('%s changes the versions of these parts: %j', async (text, parts) => {
    const where = text.startsWith('INSERT')
      ? ''
      : ` WHERE ${text.startsWith('UPDATE space SET') ? 'id' : 'space_id'} = $1`
    expect(await changedBy(() => pool.query(text + where, [id]))).toEqual(parts)
  })

  it('does not change if the transaction is rolled back', async () => {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('UPDATE app SET name = name WHERE space_id = $1', [id])
      expect(await changedBy(() => client.query('ROLLBACK'))).toEqual([])
    } finally {
      client.release()
    }
  })

  it('causes no deadlock in concurrent transactions that write in different orders', async () => {
    const assets = await Promise.all(
      Array.from({ length: 4 }, () => putAsset(installation, space, { bytes: randomBytes(8) })),
    )
    /**
     * Changes rows that no concurrent run changes. The runs share the versions and the reference counts of stored
     * bytes.
     */
    const run = async (asset: string, index: number) => {
      const statements = [
        `UPDATE asset SET version = version + 1 WHERE id = '${asset}'`,
        `INSERT INTO role (space_id, target, uid, rights) VALUES (${id}, 'project', '${newId()}', '{}')`,
        `INSERT INTO asset (space_id, id, file_name, media_type, size, storage_key, hash, metadata)
         VALUES (${id}, '${newId()}', 'a', 'text/plain', 0, '${newId()}', '', '{}')`,
        `INSERT INTO app (space_id, uid, name) VALUES (${id}, 'a${newId()}', 'a')`,
      ]
      const turned = [...statements.slice(index), ...statements.slice(0, index)]
      await pool.query(`BEGIN; ${turned.join('; ')}; COMMIT`)
    }
    for (let round = 0; round < lengthOf(40, 500); round++) await Promise.all(assets.map(run))
  })
})
