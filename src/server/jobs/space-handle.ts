import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { Tables } from '#server/db/tables.ts'

/** Returns the statement after which a connection, or only its transaction (`local`), belongs to the job of a space. */
const bindTo = (spaceId: number | null, local: boolean) => {
  const home = spaceId ?? ''
  return `SELECT set_config('role', 'imori_worker', ${local}), set_config('imori.home_role', 'imori_worker', ${local}),
    set_config('imori.space_id', '${home}', ${local}), set_config('imori.home_space', '${home}', ${local})`
}
const unbind = `SELECT set_config('role', 'none', false), set_config('imori.home_role', '', false),
  set_config('imori.space_id', '', false), set_config('imori.home_space', '', false)`

/**
 * Returns a handle on the pool for work in a space, or outside of spaces (`scope` null). All of its statements run as
 * `imori_worker`, so row-level security also applies to statements outside of `enter`. Outside of spaces, statements on
 * rows of spaces fail.
 */
export function spaceHandle(pool: pg.Pool, scope: SpaceScope | null): Db {
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: { connect: () => connect(pool, scope?.spaceId ?? null), end: async () => {} },
    }),
  })
}

/**
 * Checks out a connection. Its transactions get the role with their first statement and lose it when they end, which
 * takes no additional round trip. Single statements need one before and one after them.
 */
async function connect(pool: pg.Pool, spaceId: number | null): Promise<PostgresPoolClient> {
  const client = await pool.connect()
  let isBound = false
  let inTransaction = false
  async function query(text: string, values: unknown[]): Promise<unknown> {
    if (/^(?:begin|start transaction)\b/.test(text)) {
      inTransaction = true
      return client.query(`${text}; ${bindTo(spaceId, true)}`)
    }
    if (text === 'commit' || text === 'rollback') {
      const ended = await client.query(text)
      inTransaction = false
      return ended
    }
    if (!inTransaction && !isBound) {
      isBound = true
      await client.query(bindTo(spaceId, false))
    }
    return client.query(text, values)
  }
  function release(): void {
    // The pool closes a connection whose transaction could not be ended.
    if (inTransaction) client.release(true)
    else if (!isBound) client.release()
    else
      client.query(unbind).then(
        () => client.release(),
        (error: Error) => client.release(error),
      )
  }
  return { query: query as PostgresPoolClient['query'], release }
}
