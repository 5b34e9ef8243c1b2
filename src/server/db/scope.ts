import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { hasState, isTransient } from './sql-states.ts'
import type { Tables } from './tables.ts'

/** Any handle that runs statements: the pool, or a transaction. */
export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

declare const scope: unique symbol

/**
 * Which tenant a statement speaks of. Repositories of tenant tables take a scope, not an id, and only this module
 * makes one, so a query without its `space_id` does not compile.
 */
export interface SpaceScope {
  readonly spaceId: number
  readonly [scope]: true
}
export interface AppScope extends SpaceScope {
  readonly appId: number
}
export interface ModelScope extends AppScope {
  readonly modelId: number
}

/** Call these only with ids that were read together with the membership (or parent) they belong to. */
export const spaceScope = (spaceId: number) => ({ spaceId }) as SpaceScope
export const appScope = (space: SpaceScope, appId: number) => ({ ...space, appId }) as AppScope
export const modelScope = (app: AppScope, modelId: number) => ({ ...app, modelId }) as ModelScope

/**
 * From here to the end of the transaction, statements run as `imori_member` and row-level security shows this space
 * only: the second line behind the scope types.
 */
export async function enterSpace(tx: Tx, { spaceId }: SpaceScope): Promise<void> {
  await sql`SELECT ${entering(sql`${spaceId}::int`)}`.execute(tx)
}

/** The same for a statement that finds the space itself: to be selected with the one row of it. */
export const entering = (spaceId: RawBuilder<unknown>) =>
  sql<string>`set_config('imori.space_id', ${spaceId}::text, true) || set_config('role', 'imori_member', true)`

/** Ends what {@link entering} began, where the transaction goes on outside of the space. */
export async function leaveSpace(tx: Tx): Promise<void> {
  await sql`SELECT set_config('role', 'none', true), set_config('imori.space_id', '', true)`.execute(tx)
}

/**
 * To be selected where a transaction begins to write: its statements find rows by their keys, so there is nothing to be
 * learned from the values. Else PostgreSQL plans checks of foreign keys to partitioned tables anew for every row, which
 * takes longer than the checks.
 */
export const planningOnce = sql<string>`set_config('plan_cache_mode', 'force_generic_plan', true)`

/**
 * To be selected where a transaction begins to write hundreds of documents: more of their pairs of characters wait to be put into the
 * index at once, which costs less for each. What searches look through meanwhile is still read within a millisecond.
 */
export const writingMuch = sql<string>`set_config('gin_pending_list_limit', '512kB', true)`

/** The names of indexes made on demand (content/field-indexes). */
const fieldIndexName = /^field_index_\d+_[0-9a-f]{24}_[0-9a-f]{8}$/

/**
 * A value too long for an index that was made on demand: the index goes, the value stays. Answers whether that was
 * the trouble.
 */
async function dropIndexInTheWay(db: Db, error: unknown): Promise<boolean> {
  const { constraint } = (error ?? {}) as { constraint?: string }
  if (!hasState(error, 'programLimitExceeded') || !constraint || !fieldIndexName.test(constraint))
    return false
  await db.transaction().execute(async (tx) => {
    await sql`SET LOCAL lock_timeout = '2s'`.execute(tx)
    await sql`DROP INDEX IF EXISTS ${sql.id(constraint)}`.execute(tx)
  })
  return true
}

/**
 * Runs `work` in one READ COMMITTED transaction, again (at most five times, with jitter) when PostgreSQL asks for it.
 * `work` must therefore have no effect outside the transaction.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt >= 5) throw error
      if (!isTransient(error) && !(await dropIndexInTheWay(db, error))) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt))
    }
  }
}
