import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { StartupError } from '#server/lib/startup-error.ts'
import type { Database } from './connection.ts'
import { hasState } from './sql-states.ts'

type Migration = { name: string; sql: string; checksum: string }

/** This relative path is valid in the source (src/server/db/) and in the bundle (dist/server/). */
const ownFolder = fileURLToPath(new URL('./migrations/', import.meta.url))

/** An arbitrary constant that must be the same in all Imori processes of a database. */
const advisoryLock = 4_922_637_170

const lockAttempts = 10

/**
 * Updates the schema. Applies every new file of `folder` in order, each in a separate transaction. An advisory lock
 * serializes processes that start at the same time. Returns the names of the files applied by this call. Throws a
 * one-line `StartupError` if an applied file was edited or is missing, if the names or numbers of the files are
 * invalid, or if a file fails.
 */
export async function migrate(database: Pick<Database, 'pool'>, folder = ownFolder): Promise<string[]> {
  const files = await readMigrations(folder)
  const client = await database.pool.connect()
  try {
    // Waiting for another process's migration may take long, and so may a statement of this migration.
    await client.query(`SET statement_timeout = '15min'`)
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLock])
    await client.query(`CREATE TABLE IF NOT EXISTS migration (
      name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`)
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'SELECT name, checksum FROM migration ORDER BY name COLLATE "C"',
    )
    const pending = pendingOf(files, rows)
    for (const migration of pending) await apply(client, migration)
    return pending.map((m) => m.name)
  } finally {
    // Closing the connection releases the advisory lock and resets the settings in any case.
    client.release(true)
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const numbers = new Set<string>()
  for (const name of names) {
    const number = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]
    if (!number) throw new StartupError(`Migration ${name} is not named NNNN_words.sql`)
    if (numbers.has(number)) throw new StartupError(`Two migrations have the number ${number}`)
    numbers.add(number)
  }
  return Promise.all(
    names.map(async (name) => {
      // A checkout on Windows may convert line ends, which does not count as an edit.
      const sql = (await readFile(`${folder}/${name}`, 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

function pendingOf(files: Migration[], applied: { name: string; checksum: string }[]): Migration[] {
  const known = new Map(files.map((file) => [file.name, file.checksum]))
  for (const { name, checksum } of applied) {
    if (!known.has(name))
      throw new StartupError(
        `The database was made by a newer Imori (it has migration ${name}): update Imori`,
      )
    if (known.get(name) !== checksum)
      throw new StartupError(`Migration ${name} was edited after it was applied: restore the file`)
  }
  const newest = applied.at(-1)?.name ?? ''
  const done = new Set(applied.map((row) => row.name))
  const pending = files.filter((file) => !done.has(file.name))
  const late = pending.find((file) => file.name < newest)
  if (late) throw new StartupError(`Migration ${late.name} comes before ${newest}, which is applied already`)
  return pending
}

/**
 * Applies one file. Makes up to {@link lockAttempts} attempts with a lock timeout instead of staying in the lock queue,
 * because waiting DDL blocks all readers.
 */
async function apply(client: pg.PoolClient, { name, sql, checksum }: Migration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('BEGIN')
      await client.query(`SET LOCAL lock_timeout = '3s'`)
      await client.query(sql)
      await client.query('INSERT INTO migration (name, checksum) VALUES ($1, $2)', [name, checksum])
      await client.query('COMMIT')
      return
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      const { message } = error as { message?: string }
      const waited = hasState(error, 'lockNotAvailable', 'deadlockDetected')
      if (!waited || attempt === lockAttempts)
        throw new StartupError(`Migration ${name} failed and was rolled back: ${message}`)
      await sleep(500 * attempt)
    }
  }
}
