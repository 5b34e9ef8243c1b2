import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { Tables } from '#server/db/tables.ts'

/** Statement after which a connection belongs to the job of a space: row-level security shows only that space. */
const bind = `SELECT set_config('role', 'imori_worker', false), set_config('imori.home_role', 'imori_worker', false),
  set_config('imori.space_id', $1, false), set_config('imori.home_space', $1, false)`
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
      pool: { connect: () => connect(pool, String(scope?.spaceId ?? '')), end: async () => {} },
    }),
  })
}

async function connect(pool: pg.Pool, spaceId: string): Promise<PostgresPoolClient> {
  const client = await pool.connect()
  try {
    await client.query(bind, [spaceId])
  } catch (error) {
    client.release(error as Error)
    throw error
  }
  return {
    query: client.query.bind(client) as PostgresPoolClient['query'],
    release: () =>
      void client.query(unbind).then(
        () => client.release(),
        (error: Error) => client.release(error),
      ),
  }
}
