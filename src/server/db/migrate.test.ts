import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { type Database, openDatabase } from './connection.ts'
import { migrate } from './migrate.ts'

let folder: string
let testDatabase: TestDatabase
let database: Database

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-migrations-'))
  testDatabase = await createTestDatabase()
  database = await openDatabase(testDatabase.connection)
  await database.pool.query('TRUNCATE migration')
})
afterEach(async () => {
  await database.close()
  await testDatabase.drop()
  await rm(folder, { recursive: true })
})

const write = (name: string, sql: string) => writeFile(join(folder, name), sql)
const run = () => migrate(database, folder)

test('new files are applied once, in order', async () => {
  await write('0002_second.sql', 'INSERT INTO first VALUES (2)')
  await write('0001_first.sql', 'CREATE TABLE first (n int)')
  expect(await run()).toEqual(['0001_first.sql', '0002_second.sql'])
  expect(await run()).toEqual([])
  await write('0003_third.sql', 'INSERT INTO first VALUES (3)')
  expect(await run()).toEqual(['0003_third.sql'])
  expect((await database.pool.query('SELECT n FROM first ORDER BY n')).rows).toEqual([{ n: 2 }, { n: 3 }])
})

test('concurrent calls of migrate apply a file once', async () => {
  await write('0001_first.sql', 'CREATE TABLE first (n int); SELECT pg_sleep(0.2)')
  const results = await Promise.all([run(), run(), run(), run()])
  expect(results.flat()).toEqual(['0001_first.sql'])
})

test('a failing file is rolled back as a whole, and earlier files stay applied', async () => {
  await write('0001_first.sql', 'CREATE TABLE first (n int)')
  await write('0002_broken.sql', 'INSERT INTO first VALUES (1); SELECT 1/0')
  await expect(run()).rejects.toThrow(
    'Migration 0002_broken.sql failed and was rolled back: division by zero',
  )
  expect((await database.pool.query('SELECT * FROM first')).rows).toEqual([])
  expect((await database.pool.query('SELECT name FROM migration')).rows).toEqual([{ name: '0001_first.sql' }])
})

test('a file that was edited after it was applied is refused, but changed line ends are allowed', async () => {
  await write('0001_first.sql', 'CREATE TABLE first (\nn int)')
  await run()
  await write('0001_first.sql', 'CREATE TABLE first (\r\nn int)')
  expect(await run()).toEqual([])
  await write('0001_first.sql', 'CREATE TABLE first (n int, m int)')
  await expect(run()).rejects.toThrow('Migration 0001_first.sql was edited after it was applied')
})

test('a database of a newer version is refused', async () => {
  await write('0001_first.sql', 'SELECT 1')
  await write('0002_second.sql', 'SELECT 2')
  await run()
  await rm(join(folder, '0002_second.sql'))
  await expect(run()).rejects.toThrow(
    'The database was made by a newer Imori (it has migration 0002_second.sql)',
  )
})

test('files with an invalid name, a duplicate number or too low a number are refused', async () => {
  await write('1_x.sql', 'SELECT 1')
  await expect(run()).rejects.toThrow('1_x.sql is not named NNNN_words.sql')
  await rm(join(folder, '1_x.sql'))
  await write('0002_a.sql', 'SELECT 1')
  await run()
  await write('0001_late.sql', 'SELECT 1')
  await expect(run()).rejects.toThrow('0001_late.sql comes before 0002_a.sql')
  await write('0002_b.sql', 'SELECT 1')
  await expect(run()).rejects.toThrow('Two migrations have the number 0002')
})

test('a migration waits more than 3 seconds for a lock of another transaction', async () => {
  await write('0001_first.sql', 'CREATE TABLE first (n int)')
  await run()
  await write('0002_second.sql', 'ALTER TABLE first ADD m int')
  const holder = await database.pool.connect()
  await holder.query('BEGIN; SELECT * FROM first')
  const migration = run()
  await new Promise((done) => setTimeout(done, 3_300))
  await holder.query('COMMIT')
  holder.release()
  expect(await migration).toEqual(['0002_second.sql'])
})

test('a bigint is read as a number, and is refused if the number would not be exact', async () => {
  const { rows } = await database.pool.query(
    `SELECT 9007199254740991::int8 AS n, '2026-01-02T03:04:05Z'::timestamptz AS t`,
  )
  expect(rows).toEqual([{ n: 9007199254740991, t: new Date('2026-01-02T03:04:05Z') }])
  await expect(database.pool.query('SELECT 9007199254740993::int8 AS n')).rejects.toThrow('9007199254740993')
  expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})

test('statement_timeout is 5 s in the management pool and 2 s in the delivery pool', async () => {
  const sql = `SELECT current_setting('statement_timeout') AS t, current_setting('application_name') AS a`
  expect((await database.pool.query(sql)).rows).toEqual([{ t: '5s', a: 'imori' }])
  expect((await database.deliveryPool.query(sql)).rows).toEqual([{ t: '2s', a: 'imori delivery' }])
})

test('openDatabase rejects an unreachable server, and a server with synchronous_commit off', async () => {
  await expect(openDatabase('postgres://u:secret@127.0.0.1:1/x')).rejects.toThrow(
    /^Cannot reach PostgreSQL: .*ECONNREFUSED/,
  )
  const { connection } = testDatabase
  const client = new pg.Client(typeof connection === 'string' ? connection : { ...connection, ssl: false })
  await client.connect()
  await client.query(
    'DO $$BEGIN EXECUTE format($f$ALTER DATABASE %I SET synchronous_commit = off$f$, current_database()); END$$',
  )
  await client.end()
  await expect(openDatabase(connection)).rejects.toThrow('PostgreSQL runs with synchronous_commit=off')
})
