import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '#server/db/connection.ts'
import type { FieldIndex, KnownIndexes } from '#server/db/field-indexes.ts'
import { type Db, inTransaction } from '#server/db/scope.ts'
import type { Tables } from '#server/db/tables.ts'
import type { Notices } from '../notices.ts'
import { indexName } from '../query/indexes.ts'
import { readUsable } from './catalogue.ts'
import { type FieldIndexLimits, usualLimits } from './limits.ts'

/*
 * Indexes on single fields of large models. Some are built when a model becomes large, others after lists filter or
 * sort by a field. Without an index, PostgreSQL may decompress the body of each document of the model. Results do not
 * depend on an index (docs/decisions/0013, 0017).
 *
 * Each server process caches the names of valid indexes and records uses in a table. A job builds the indexes
 * (make.ts).
 */

export interface FieldIndexes extends KnownIndexes {
  /**
   * Writes recorded uses, enqueues the job if indexes may have to be built or dropped, and refreshes the names of valid
   * indexes.
   */
  flush(): Promise<void>
  close(): Promise<void>
}

interface WatchOptions {
  /** Enqueues the job that builds indexes, in a transaction. */
  ask(db: Db): Promise<unknown>
  onError(error: unknown): void
  limits?: Partial<FieldIndexLimits>
}

const hour = 3_600_000

/** Starts recording the uses of field indexes. Its statements use the jobs pool, so that no request waits for them. */
export function watchFieldIndexes(
  { jobsPool }: Pick<Database, 'jobsPool'>,
  notices: Pick<Notices, 'subscribe'>,
  { ask, onError, limits = {} }: WatchOptions,
): FieldIndexes {
  const { largeFrom, every, firstAfter } = { ...usualLimits, ...limits }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: jobsPool }) })
  /**
   * Names of indexes whose use this process recorded within the last hour. Further uses in that hour are not recorded.
   */
  const told = new LRUCache<string, true>({ max: 5000, ttl: hour })
  let pending = new Map<string, FieldIndex>()
  /** Models with new writes, which may have become large. */
  let written = new Set<number>()
  /** Large models whose indexes were already requested. */
  let asked = new Set<number>()
  /**
   * Whether the next flush also checks for changes other than uses and writes: a deleted model, a removed field, or an
   * interrupted build.
   */
  let isDue = true
  let known = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let lastFlush = Number.NEGATIVE_INFINITY
  let flushing: Promise<void> | undefined
  let closed = false

  function wake(): void {
    if (closed || timer || flushing) return
    const delay = Math.max(firstAfter, lastFlush + every - performance.now())
    timer = setTimeout(() => void flush(), delay)
    timer.unref()
  }

  function note(uses: FieldIndex[]): void {
    if (closed) return
    for (const use of uses) {
      const name = indexName(use)
      if (told.has(name)) continue
      told.set(name, true)
      pending.set(name, use)
      wake()
    }
  }

  function flush(): Promise<void> {
    if (closed) return Promise.resolve()
    clearTimeout(timer)
    timer = undefined
    flushing ??= Promise.all([tell(), recognize()])
      .then(() => {})
      .catch((error: unknown) => {
        if (!closed) onError(error)
      })
      .finally(() => {
        flushing = undefined
        lastFlush = performance.now()
        if (isDue || pending.size > 0 || written.size > 0) wake()
      })
    return flushing
  }

  async function tell(): Promise<void> {
    const [uses, models, due] = [pending, written, isDue]
    pending = new Map()
    written = new Set()
    isDue = false
    const ids = [...new Set([...models, ...[...uses.values()].map((use) => use.modelId)])]
    try {
      await inTransaction(db, async (tx) => {
        const large = await findLarge(tx, ids, largeFrom)
        const used = [...uses].filter(([, use]) => large[use.stage].has(use.modelId))
        await insertUses(tx, used)
        const isNew = [...large.published].some((id) => !asked.has(id))
        if (used.length > 0 || isNew || (due && (await isAnyDue(tx, largeFrom)))) await ask(tx)
        for (const id of large.published) asked.add(id)
      })
    } catch (error) {
      for (const [name, use] of uses) pending.set(name, use)
      for (const id of models) written.add(id)
      isDue ||= due
      throw error
    }
  }

  async function recognize(): Promise<void> {
    known = await readUsable(jobsPool)
  }

  notices.subscribe((notice) => {
    if (notice.kind === 'indexes' || notice.kind === 'reset') void recognize().catch(() => {})
    if (notice.kind === 'model' && !asked.has(notice.modelId)) {
      written.add(notice.modelId)
      wake()
    }
    if (notice.kind === 'registry' || notice.kind === 'reset') {
      asked = new Set()
      isDue = true
      wake()
    }
  })
  return {
    note,
    flush,
    has: (index) => known.has(indexName(index)),
    async close() {
      closed = true
      clearTimeout(timer)
      // Closing waits at most two seconds for a database that does not respond.
      if (flushing) await Promise.race([flushing, sleep(2_000, undefined, { ref: false })])
    },
  }
}

/**
 * Returns the ids of the models among `ids` that have more than `largeFrom` published documents (`published`) or
 * documents in total (`current`).
 */
async function findLarge(
  db: Db,
  ids: number[],
  largeFrom: number,
): Promise<Record<FieldIndex['stage'], Set<number>>> {
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('model_stat')
          .select(['model_id', 'published', 'documents'])
          .where('model_id', 'in', ids)
          .execute()
  const among = (column: 'published' | 'documents') =>
    new Set(rows.filter((row) => row[column] > largeFrom).map((row) => row.model_id))
  return { published: among('published'), current: among('documents') }
}

/** Returns whether any index exists, or any model with more than `largeFrom` published documents. */
async function isAnyDue(db: Db, largeFrom: number): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    SELECT EXISTS (SELECT FROM field_index) OR EXISTS (SELECT FROM model_stat WHERE published > ${largeFrom}) AS due`.execute(
    db,
  )
  return rows[0]?.due ?? false
}

async function insertUses(db: Db, uses: [name: string, use: FieldIndex][]): Promise<void> {
  if (uses.length === 0) return
  const rows = uses.map(([name, { modelId, fieldId, keys }]) => ({
    name,
    model_id: modelId,
    field_id: fieldId,
    keys,
  }))
  await db
    .insertInto('field_index_use')
    .values(rows)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ noted_at: sql`clock_timestamp()` }))
    .execute()
}
