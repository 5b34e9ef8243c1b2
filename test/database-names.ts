import type pg from 'pg'
import type { Connection } from '#server/db/connection.ts'

/** The connections that tests need to create databases. */
export type TestServer = {
  /** A role that may create databases. */
  admin: string | Connection
  /** The role that the application uses. Its `database` is replaced. */
  application: string | Connection
  /** The migrated, empty database that test databases are copied from. Names of test databases begin with its name. */
  template: string
  /** A folder for temporary files that is removed with the server. */
  temporary: string
}

/** Returns a connection to another database with the same server and role. */
export function withDatabase(connection: string | Connection, database: string): string | Connection {
  if (typeof connection !== 'string') return { ...connection, database }
  const url = new URL(connection)
  url.pathname = `/${database}`
  return url.href
}

/** Returns the connection as a postgres:// URL, in the format of DATABASE_URL. */
export function toUrl(connection: string | Connection): string {
  if (typeof connection === 'string') return connection
  const { user, password = '', host, port, database } = connection
  const who = [user, password].filter(Boolean).map(encodeURIComponent).join(':')
  return `postgres://${who}@${encodeURIComponent(host)}:${port}/${database}`
}

/** Returns the options for a single `pg.Client`. */
export const toClientConfig = (connection: string | Connection): pg.ClientConfig =>
  typeof connection === 'string' ? { connectionString: connection } : { ...connection, ssl: false }
