import type { FieldIndexLimits } from '#server/content/field-indexes/limits.ts'
import { makeFieldIndexes } from '#server/content/field-indexes/make.ts'
import { type FieldIndexes, watchFieldIndexes } from '#server/content/field-indexes/watch.ts'
import type { Notices } from '#server/content/notices.ts'
import { fromKysely } from '#server/content/read.ts'
import { connectLike, type Database } from '#server/db/connection.ts'

/** What a process that answers and the job do about indexes on fields, in one hand and with limits of one's own. */
export interface FieldIndexer extends FieldIndexes {
  /** Tells what was noted, makes what is due, and learns of it. */
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
    // Once it has committed what it tells.
    ask: async () => void setTimeout(make, 50),
    onError,
    limits,
  })
  /** One after the other: who finds another at work leaves it to that one, and would be done before the indexes are. */
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
