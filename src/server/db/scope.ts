import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { hasState, isTransient } from './sql-states.ts'
import type { Tables } from './tables.ts'

/** A handle that runs statements: the pool, or a transaction. */
export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

declare const scope: unique symbol

/**
 * The tenant that a statement belongs to. Repositories of tenant tables take a scope instead of an id. Only this module
 * creates scopes.
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

/** Creates a scope. The id must have been read together with the membership (or parent) that it belongs to. */
export const spaceScope = (spaceId: number) => ({ spaceId }) as SpaceScope
export const appScope = (space: SpaceScope, appId: number) => ({ ...space, appId }) as AppScope
export const modelScope = (app: AppScope, modelId: number) => ({ ...app, modelId }) as ModelScope

/**
 * Makes the following statements of the transaction run as `imori_member`. Row-level security then shows only rows of
 * this space. This is a second line of defence in addition to the scope types.
 */
export async function enterSpace(tx: Tx, { spaceId }: SpaceScope): Promise<void> {
  await sql`SELECT ${entering(sql`${spaceId}::int`)}`.execute(tx)
}

/**
 * Returns an expression with the effect of {@link enterSpace}. A statement that looks up the space must select this
 * expression in the only row that it returns.
 */
export const entering = (spaceId: RawBuilder<unknown>) =>
  sql<string>`set_config('imori.space_id', ${spaceId}::text, true) || set_config('role', 'imori_member', true)`

/**
 * Reverts {@link entering}, for a transaction that continues outside the space. The connection of a job of a space
 * continues under the job's role (jobs/space-handle.ts).
 */
export async function leaveSpace(tx: Tx): Promise<void> {
  await sql`SELECT set_config('role', coalesce(nullif(current_setting('imori.home_role', true), ''), 'none'), true),
    set_config('imori.space_id', coalesce(current_setting('imori.home_space', true), ''), true)`.execute(tx)
}

/**
 * Expression to select at the beginning of a transaction that writes. Writing statements find rows by key, so custom
 * plans have no benefit. Otherwise PostgreSQL replans foreign-key checks to partitioned tables for every row, which
 * takes longer than the checks.
 */
export const planningOnce = sql<string>`set_config('plan_cache_mode', 'force_generic_plan', true)`

/**
 * Prepares a transaction for writing hundreds of documents. A longer pending list makes it cheaper per document to
 * flush character pairs into the index.
 */
export async function expectManyWrites(tx: Db): Promise<void> {
  await sql`SELECT set_config('gin_pending_list_limit', '512kB', true)`.execute(tx)
}

/** The names of indexes created on demand (content/field-indexes). */
const fieldIndexName = /^field_index_\d+_[0-9a-f]{24}_[0-9a-f]{8}$/

/**
 * Drops an on-demand index that refused a value for being too long, so that the value can be stored. Returns whether
 * such an index caused the error.
 */
async function dropIndexInTheWay(db: Db, error: unknown): Promise<boolean> {
  const { constraint } = (error ?? {}) as { constraint?: string }
  if (!hasState(error, 'programLimitExceeded') || !constraint || !fieldIndexName.test(constraint))
    return false
  await db.transaction().execute(async (tx) => {
    // Only the owner of the tables can drop an index.
    await sql`SELECT set_config('role', 'none', true), set_config('lock_timeout', '2s', true)`.execute(tx)
    await sql`DROP INDEX IF EXISTS ${sql.id(constraint)}`.execute(tx)
  })
  return true
}

/**
 * Runs `work` in one READ COMMITTED transaction. Makes up to five attempts, after random delays, if PostgreSQL reports
 * a transient error or if an on-demand index refuses a value. Therefore `work` must have no effect outside the
 * transaction.
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
