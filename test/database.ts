import { inject } from 'vitest'
import type { TestServer } from './database-names.ts'
import type { TestDatabase } from './test-server.ts'
import * as testServer from './test-server.ts'

export type { TestDatabase }

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer
  }
}

/** Creates a migrated, empty database on the server of this run. */
export const createTestDatabase = (): Promise<TestDatabase> => testServer.createDatabase(inject('testServer'))

/** Creates a database without any table, for tests of migrations of earlier data. */
export const createEmptyDatabase = (): Promise<TestDatabase> =>
  testServer.createEmptyDatabase(inject('testServer'))
