import { inject } from 'vitest'
import { createDatabase, type TestDatabase } from './test-server.ts'

export type { TestDatabase }

/** A fresh, migrated, empty database of this run's server. */
export const createTestDatabase = (): Promise<TestDatabase> => createDatabase(inject('testServer'))
