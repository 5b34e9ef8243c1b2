import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { compileOnce, type Placeholders } from './compile-once.ts'
import { type Database, openDatabase } from './connection.ts'

let test: TestDatabase
let database: Database
beforeAll(async () => {
  test = await createTestDatabase()
  database = await openDatabase(test.connection)
})
afterAll(async () => {
  await database.close()
  await test.drop()
})

let made = 0
const sum = compileOnce((db, { a, b }: Placeholders<{ a: number; b: number | null }>) => {
  made++
  return sql<{ sum: number }>`SELECT ${a}::int + ${100}::int + coalesce(${b}::int, 0) AS sum`.compile(db)
})

it('compileOnce compiles a statement only at its first use, and passes new values at each use', async () => {
  const { kysely } = database
  expect(made).toBe(0)
  const answers = await Promise.all([
    sum(kysely, { a: 1, b: null }),
    sum(kysely, { a: 2, b: 20 }),
    // Values are matched by name, not by order.
    sum(kysely, { b: 3, a: 0 }),
  ])
  expect(answers).toEqual([[{ sum: 101 }], [{ sum: 122 }], [{ sum: 103 }]])
  await kysely.transaction().execute(async (tx) => {
    expect(await sum(tx, { a: 5, b: 6 })).toEqual([{ sum: 111 }])
  })
  expect(made).toBe(1)
})
