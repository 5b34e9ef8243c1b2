import { sql } from 'kysely'
import { AppError } from '#shared/errors.ts'
import type { Db } from './scope.ts'

/**
 * Runs `work` within a savepoint of the transaction. If `work` throws, rolls back to the savepoint, so that the
 * transaction can continue. Calls for the same transaction must not overlap.
 */
export async function undoOnError<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await sql`SAVEPOINT entry`.execute(db)
  try {
    const result = await work()
    await sql`RELEASE SAVEPOINT entry`.execute(db)
    return result
  } catch (error) {
    // A lost connection has rolled back everything.
    await sql`ROLLBACK TO SAVEPOINT entry`
      .execute(db)
      .then(() => sql`RELEASE SAVEPOINT entry`.execute(db))
      .catch(() => {})
    throw error
  }
}

/**
 * Runs `work` within a savepoint of the transaction. If `work` throws an `AppError`, rolls back to the savepoint and
 * returns the error. Any other error concerns the whole transaction and is rethrown.
 */
export async function inSavepoint<T>(
  db: Db,
  work: () => Promise<T>,
): Promise<{ result: T } | { refusal: AppError }> {
  await sql`SAVEPOINT item`.execute(db)
  try {
    const result = await work()
    await sql`RELEASE SAVEPOINT item`.execute(db)
    return { result }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await sql`ROLLBACK TO SAVEPOINT item`.execute(db)
    return { refusal: error }
  }
}
