import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '#server/db/connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { statementTimeoutFactor } from '#test/statement-patience.ts'
import { splitObject } from './fragments.ts'

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = await openDatabase(testDatabase.connection, undefined, undefined, statementTimeoutFactor)
})
afterAll(async () => {
  await database?.close()
  await testDatabase?.drop()
})

test('splitObject returns the stored members of an object that PostgreSQL printed', async () => {
  const texts = [
    '',
    'a',
    '"',
    '\\',
    '\\"',
    '\\\\',
    '\\\\"',
    '", "0123456789abcdef01234567": ',
    '{}[],:',
    '\n\t\u0001\u007f',
    '東京😀\u2028',
    '"}',
    ']',
  ]
  const values = [
    ...texts,
    0,
    -1.5,
    1e21,
    1e-7,
    9007199254740991,
    true,
    false,
    null,
    [],
    {},
    texts,
    [[['"]']], { a: ['}'] }],
    { '"k': texts },
  ]
  let state = 1
  const next = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state % n
  }
  for (let round = 0; round < 200; round++) {
    const object: Record<string, unknown> = {}
    for (let count = next(6); count > 0; count--)
      object[
        next(2 ** 20)
          .toString(16)
          .padStart(24, 'a')
      ] = values[next(values.length)]
    const { rows } = await database.pool.query('SELECT $1::jsonb::text AS json', [JSON.stringify(object)])
    const members = [...splitObject(rows[0].json)].map(([key, json]) => [key, JSON.parse(json)])
    expect(Object.fromEntries(members)).toEqual(object)
  }
})

test('splitObject throws a SyntaxError for five malformed JSON texts', () => {
  for (const json of ['{"a": "', '{"a": [1', '{"a": 1', '{"a": "x"x}', '{"a": [}'])
    expect(() => splitObject(json)).toThrow(SyntaxError)
})
