import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toAppError } from '#server/http/errors.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { type Database, openDatabase } from './connection.ts'

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = await openDatabase(testDatabase.connection, () => {})
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

// Without an error listener on the checked-out connection, the broken connection would end the process (in vitest: an
// unhandled error).
test('a broken connection fails the work that uses it with 503, and later work succeeds', async () => {
  const { kysely, deliveryPool } = database
  const work = kysely.transaction().execute(async (tx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx)
    const gone = await deliveryPool.query('SELECT pg_terminate_backend($1, 2000) AS gone', [rows[0]?.pid])
    expect(gone.rows).toEqual([{ gone: true }])
    await new Promise((resolve) => setTimeout(resolve, 50))
    await sql`SELECT 1`.execute(tx)
  })
  const error = await work.catch((reason: unknown) => reason)
  expect(toAppError(error)).toMatchObject({ code: 'ServiceUnavailable', headers: { 'retry-after': '1' } })
  expect((await sql`SELECT 1 AS one`.execute(kysely)).rows).toEqual([{ one: 1 }])
})
