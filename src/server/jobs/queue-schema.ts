import { Logger, runMigrations } from 'graphile-worker'
import type pg from 'pg'

/** Creates or updates the tables of the queue (schema `graphile_worker`), which the triggers of `job` write to. */
export async function migrateQueue({ pool }: { pool: pg.Pool }): Promise<void> {
  await runMigrations({ pgPool: pool, schema: 'graphile_worker', logger: new Logger(() => () => {}) })
}
