import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { Connection } from '#server/db/connection.ts'
import { type TestServer, toClientConfig, withDatabase } from './database-names.ts'

/** A database of one test (or test file): `connection` goes to `openDatabase`. */
export type TestDatabase = {
  connection: string | Connection
  /** Ends leftover connections and removes the database. */
  drop(): Promise<void>
}

/**
 * A fresh, migrated, empty database: a copy of the run's template, in well under a second. Outside vitest
 * (browser tests) give the server that `startTestServer` returned.
 */
export async function createTestDatabase(server?: TestServer): Promise<TestDatabase> {
  const { admin, application, template } = server ?? inject('testServer')
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
