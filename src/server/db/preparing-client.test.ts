import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { type Database, openDatabase } from './connection.ts'
import { inTransaction } from './scope.ts'

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  // A single connection, so that its prepared statements can be inspected.
  database = await openDatabase(testDatabase.connection, () => {}, { management: 1, delivery: 1, jobs: 1 })
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const prepared = async () =>
  (
    await sql<{ statement: string }>`SELECT statement FROM pg_prepared_statements`.execute(database.kysely)
  ).rows.map((row) => row.statement)

test('a statement with values is prepared at its third use, and a statement without values is not', async () => {
  const { pool } = database
  for (const n of [1, 2, 3]) {
    expect(await prepared()).toEqual([])
    expect((await pool.query('SELECT $1::int + 1 AS next', [n])).rows).toEqual([{ next: n + 1 }])
    await pool.query('SELECT 1', [])
  }
  expect(await prepared()).toEqual(['SELECT $1::int + 1 AS next'])
  const viaCallback = await new Promise((resolve, reject) =>
    pool.query('SELECT $1::int + 1 AS next', [7], (error, result) =>
      error ? reject(error) : resolve(result.rows),
    ),
  )
  expect(viaCallback).toEqual([{ next: 8 }])
  await expect(pool.query('SELECT $1::int + 1 AS next', ['x'])).rejects.toMatchObject({ code: '22P02' })
})

test('a prepared statement still works in a transaction after its table gets a new column', async () => {
  const { kysely, pool } = database
  await pool.query('CREATE TABLE thing (id int)')
  await pool.query('INSERT INTO thing VALUES (1)')
  const read = () =>
    inTransaction(kysely, async (tx) => (await sql`SELECT * FROM thing WHERE id = ${1}`.execute(tx)).rows)
  for (let n = 0; n < 4; n++) expect(await read()).toEqual([{ id: 1 }])
  expect(await prepared()).toContain('SELECT * FROM thing WHERE id = $1')
  await pool.query(`ALTER TABLE thing ADD COLUMN name text DEFAULT 'new'`)
  expect(await read()).toEqual([{ id: 1, name: 'new' }])
})
