import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { Connection } from '#server/db/connection.ts'
import { toClientConfig, withDatabase } from './global-setup.ts'

/** A database of one test (or test file): `connection` goes to `openDatabase`. */
export type TestDatabase = {
  connection: string | Connection
  /** Ends leftover connections and removes the database. */
  drop(): Promise<void>
}

/** A fresh, migrated, empty database: a copy of the run's template. Takes well under a second. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { admin, application, template } = inject('testServer')
  const name = `${template}_${randomBytes(6).toString('hex')}`
  const owner = typeof application === 'string' ? '' : `OWNER ${application.user}`
  await asAdmin(admin, `CREATE DATABASE ${name} TEMPLATE ${template} ${owner}`)
  return {
    connection: withDatabase(application, name),
    drop: () => asAdmin(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

async function asAdmin(connection: string | Connection, sql: string): Promise<void> {
  const client = new pg.Client(toClientConfig(connection))
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
