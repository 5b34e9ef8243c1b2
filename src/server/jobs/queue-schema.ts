import { Logger, runMigrations } from 'graphile-worker'
import type pg from 'pg'

/** Creates or updates the tables of the queue (schema `graphile_worker`). Triggers of the table `job` write to them. */
export async function migrateQueue({ pool }: { pool: pg.Pool }): Promise<void> {
  await runMigrations({ pgPool: pool, schema: 'graphile_worker', logger: new Logger(() => () => {}) })
}
