import type pg from 'pg'
import { expect } from 'vitest'
import type { TestInstallation } from './server.ts'

/** Waits until this many transactions wait for locks. */
export async function expectWaiting(pool: pg.Pool, transactions: number): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
      return rows.length
    })
    .toBe(transactions)
}

/**
 * Runs a race with a known winner. A transaction takes the lock of a statement, then `request` is sent and waits for
 * the lock. `meanwhile` runs in that transaction, which then commits. Returns the response of the request.
 */
export async function whileHeld<T>(
  { database: { pool } }: TestInstallation,
  [lock, values]: [statement: string, values: unknown[]],
  request: () => Promise<T>,
  meanwhile: (holder: pg.PoolClient) => Promise<unknown>,
): Promise<T> {
  const holder = await pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(lock, values)
    const waiting = request()
    await expectWaiting(pool, 1)
    await meanwhile(holder)
    await holder.query('COMMIT')
    return await waiting
  } finally {
    // The connection is closed instead of returned to the pool, because a failure leaves its transaction open.
    holder.release(true)
  }
}
