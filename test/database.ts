import { inject } from 'vitest'
import type { TestServer } from './database-names.ts'
import { createDatabase, type TestDatabase } from './test-server.ts'

export type { TestDatabase }

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer
  }
}

/** A fresh, migrated, empty database of this run's server. */
export const createTestDatabase = (): Promise<TestDatabase> => createDatabase(inject('testServer'))
