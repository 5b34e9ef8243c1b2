import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#server/db/connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { createApiCalls } from './api-calls.ts'

let testDatabase: TestDatabase
let database: Database
let spaces: number[]
beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = await openDatabase(testDatabase.connection)
  const { rows } = await database.pool.query(
    `INSERT INTO space (uid, name) VALUES ('a', 'A'), ('b', 'B') RETURNING id`,
  )
  spaces = rows.map(({ id }) => id)
})
afterEach(async () => {
  await database.close()
  await testDatabase.drop()
})

const counted = async () => {
  const { rows } = await database.pool.query(
    'SELECT space_id, day, cdn_calls, api_calls FROM usage_day ORDER BY space_id, day',
  )
  return rows.map((row) => [spaces.indexOf(row.space_id), row.day, row.cdn_calls, row.api_calls])
}

const calls = (space: number, kind: 'cdn' | 'api', count: number) =>
  Array.from({ length: count }, () => ({ spaceId: spaces[space] ?? 0, kind }))

describe('the counter of API calls', () => {
  it('writes the calls of each space, kind of token and day in UTC, and adds later calls', async () => {
    let now = Date.parse('2026-01-31T23:59:59.999Z')
    const errors: unknown[] = []
    const apiCalls = createApiCalls(database.pool, {
      now: () => now,
      flushAfterMs: 10,
      onError: (error) => errors.push(error),
    })
    for (const call of [...calls(0, 'cdn', 3), ...calls(1, 'api', 2)]) apiCalls.count(call)
    now += 1
    for (const call of [...calls(0, 'cdn', 1), ...calls(0, 'api', 1)]) apiCalls.count(call)
    // A space that was deleted in the meantime is ignored.
    apiCalls.count({ spaceId: 999_999, kind: 'cdn' })
    await expect.poll(counted).toEqual([
      [0, '2026-01-31', 3, 0],
      [0, '2026-02-01', 1, 1],
      [1, '2026-01-31', 0, 2],
    ])
    for (const call of calls(0, 'api', 4)) apiCalls.count(call)
    await apiCalls.close()
    expect((await counted())[1]).toEqual([0, '2026-02-01', 1, 5])
    expect(errors).toEqual([])
  })

  it('writes refused calls again, and calls of a lost connection not', async () => {
    const failures = [
      Object.assign(new Error('deadlock'), { code: '40P01' }),
      new Error('Connection terminated unexpectedly'),
    ]
    const errors: unknown[] = []
    const pool = {
      query: (...given: Parameters<Database['pool']['query']>) => {
        const failure = failures.shift()
        return failure ? Promise.reject(failure) : database.pool.query(...given)
      },
    } as Pick<Database['pool'], 'query'>
    const apiCalls = createApiCalls(pool, {
      now: () => 0,
      flushAfterMs: 3_600_000,
      onError: (error) => errors.push(error),
    })
    const write = async (count: number) => {
      for (const call of calls(0, 'cdn', count)) apiCalls.count(call)
      await apiCalls.close()
    }
    await write(1)
    // The second write contains three calls.
    await write(2)
    await write(4)
    expect(errors).toHaveLength(2)
    expect(await counted()).toEqual([[0, '1970-01-01', 4, 0]])
  })

  it('does not count further spaces above the maximum', async () => {
    const apiCalls = createApiCalls(database.pool, { now: () => 0, maxCounters: 1, onError: () => {} })
    for (const call of [...calls(0, 'cdn', 2), ...calls(1, 'cdn', 2)]) apiCalls.count(call)
    await apiCalls.close()
    for (const call of calls(1, 'cdn', 3)) apiCalls.count(call)
    await apiCalls.close()
    expect(await counted()).toEqual([
      [0, '1970-01-01', 2, 0],
      [1, '1970-01-01', 3, 0],
    ])
  })
})
