import type { FieldIndexLimits } from '#server/content/field-indexes/limits.ts'
import { makeFieldIndexes } from '#server/content/field-indexes/make.ts'
import { type FieldIndexes, watchFieldIndexes } from '#server/content/field-indexes/watch.ts'
import type { Notices } from '#server/content/notices.ts'
import { fromKysely } from '#server/content/read.ts'
import { connectLike, type Database } from '#server/db/connection.ts'

/**
 * Field indexes with configurable limits: the web process's part, which records uses, and the job's part, which creates
 * indexes.
 */
export interface FieldIndexer extends FieldIndexes {
  /** Writes recorded uses, creates due indexes, and refreshes the names of valid indexes. */
  run(): Promise<void>
}

export function startFieldIndexer(
  database: Database,
  notices: Pick<Notices, 'subscribe'>,
  onError: (error: unknown) => void,
  limits: Partial<FieldIndexLimits>,
): FieldIndexer {
  const stop = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  const indexes = watchFieldIndexes(database, notices, {
    // The delay lets the transaction that calls `ask` commit first.
    ask: async () => void setTimeout(make, 50),
    onError,
    limits,
  })
  /**
   * Creates due indexes. Runs are serialised, because a run that finds another one in progress returns before the
   * indexes exist.
   */
  function make(): Promise<unknown> {
    const connect = () => connectLike(database.pool, 'imori indexes')
    const options = { connect, handle: fromKysely(database.kysely), signal: stop.signal, onError, limits }
    running = running
      .then(() => (stop.signal.aborted ? undefined : makeFieldIndexes(options)))
      .catch((error: unknown) => onError(error))
    return running
  }
  return {
    ...indexes,
    async run() {
      await indexes.flush()
      await make()
      await indexes.flush()
    },
    async close() {
      stop.abort()
      await indexes.close()
      await running
    },
  }
}
