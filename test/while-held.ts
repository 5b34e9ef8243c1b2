import type pg from 'pg'
import { expect } from 'vitest'
import type { TestInstallation } from './server.ts'

/** So many transactions have come to wait for locks of others. */
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
 * A race with a known winner: a transaction takes the lock of a statement, `request` is sent and comes to wait for it, and then
 * `meanwhile` happens in that transaction, which commits. Answers what the request is answered.
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
    // Closed rather than given back: a failure leaves its transaction open.
    holder.release(true)
  }
}
