import type pg from 'pg'
import type { FieldIndex } from '#server/db/field-indexes.ts'
import { hasState } from '#server/db/sql-states.ts'
import { indexName, indexWith } from '../query/indexes.ts'
import type { Handle } from '../read.ts'
import {
  drop,
  type IndexedModel,
  type KnownIndex,
  markUsed,
  readKnown,
  readModels,
  readUses,
  removeUses,
} from './catalogue.ts'
import { type FieldIndexLimits, usualLimits } from './limits.ts'
import { expectedUses } from './uses.ts'

/** Key of the advisory lock; an arbitrary constant. */
const advisoryLock = 4_922_637_171
/**
 * Maximum total size in bytes of the texts in an index key. A B-tree key has at most 2,704 bytes, so a field with
 * longer texts in a document gets no index.
 */
const longestKey = 2000

interface MakeOptions {
  /** Opens a dedicated connection for statements that take long. {@link makeFieldIndexes} closes it. */
  connect(): Promise<pg.Client>
  /** The connection that cancels a running build when `signal` aborts. */
  handle: Handle
  signal: AbortSignal
  /** Called for each index whose build fails; the remaining ones are still built. */
  onError(error: unknown, name: string): void
  limits?: Partial<FieldIndexLimits>
}

/**
 * Drops outdated field indexes, then builds missing ones. `again`: a retry may help, because another process has the
 * advisory lock, a table lock blocked a build, or `signal` aborted. A build that `signal` or the end of the process
 * interrupts leaves its row, and the next run rebuilds the index.
 */
export async function makeFieldIndexes(options: MakeOptions): Promise<{ again: boolean }> {
  const { connect, handle, signal, onError } = options
  const limits = { ...usualLimits, ...options.limits }
  const db = await connect()
  // Without a listener, a lost connection would crash the process; the running statement rejects anyway.
  db.on('error', () => {})
  let cancel = () => {}
  try {
    await db.query(`SET statement_timeout = 0; SET lock_timeout = '10s'`)
    const own = await db.query<{ pid: number; mine: boolean }>(
      'SELECT pg_backend_pid() AS pid, pg_try_advisory_lock($1) AS mine',
      [advisoryLock],
    )
    if (!own.rows[0]?.mine) return { again: true }
    const { pid } = own.rows[0]
    cancel = () => void handle.query('SELECT pg_cancel_backend($1)', [pid]).catch(() => {})
    signal.addEventListener('abort', cancel)
    return await new Maker(db, limits, signal, onError).run()
  } catch (error) {
    if (signal.aborted) return { again: true }
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
    await db.end().catch(() => {}) // releases the advisory lock
  }
}

class Maker {
  private readonly db: pg.Client
  private readonly limits: FieldIndexLimits
  private readonly signal: AbortSignal
  private readonly onError: MakeOptions['onError']
  private changes = 0

  constructor(db: pg.Client, limits: FieldIndexLimits, signal: AbortSignal, onError: MakeOptions['onError']) {
    this.db = db
    this.limits = limits
    this.signal = signal
    this.onError = onError
  }

  async run(): Promise<{ again: boolean }> {
    const { db, limits } = this
    const found = await readKnown(db)
    const uses = await readUses(db)
    const named = [...found.map((index) => index.model_id), ...uses.map((use) => use.modelId)]
    const ids = named.filter((id) => id !== null)
    const models = await readModels(db, ids, limits.largeFrom)
    const { present, missing } = await this.tidy(found, models)
    const isLarge = (model: IndexedModel, stage: FieldIndex['stage']) =>
      (stage === 'published' ? model.published : model.documents) > limits.largeFrom
    for (const use of uses) {
      const model = models.get(use.modelId)
      const wanted = model && indexWith(use.modelId, use.fieldId, use.keys, model.fields)
      if (present.has(use.name)) await markUsed(db, use.name)
      else if (wanted && isLarge(model, wanted.stage)) missing.set(use.name, wanted)
    }
    // Indexes without a recorded use are collected separately, because they must not displace used ones.
    const expected = new Map<string, FieldIndex>()
    for (const [id, model] of models)
      for (const index of isLarge(model, 'published') ? expectedUses(id, model.fields) : []) {
        const name = indexName(index)
        if (!present.has(name) && !missing.has(name)) expected.set(name, index)
      }
    const locked = await this.buildAll(missing, expected)
    await removeUses(
      db,
      uses.filter(({ name }) => !locked.has(name)),
    )
    if (this.changes > 0)
      await db.query('SELECT pg_notify($1, $2)', ['imori', JSON.stringify({ kind: 'indexes' })])
    return { again: locked.size > 0 }
  }

  /** Drops outdated indexes. Interrupted builds are added to `missing`. */
  private async tidy(found: KnownIndex[], models: Map<number, IndexedModel>) {
    const present = new Set<string>()
    const missing = new Map<string, FieldIndex>()
    for (const { name, model_id: modelId, field_id: fieldId, keys, valid } of found) {
      const wanted =
        modelId === null || fieldId === null || keys === null
          ? undefined
          : indexWith(modelId, fieldId, keys, models.get(modelId)?.fields ?? [])
      const isRight = wanted && indexName(wanted) === name
      if (isRight && valid) {
        present.add(name)
        continue
      }
      this.changes++
      await drop(this.db, name)
      // A row without an index is not rebuilt: a write may have dropped the index because a value was too long.
      if (isRight && valid === false) missing.set(name, wanted)
    }
    return { present, missing }
  }

  /** Builds the indexes. Returns the names of those whose build failed because of a lock timeout. */
  private async buildAll(
    used: Map<string, FieldIndex>,
    expected: Map<string, FieldIndex>,
  ): Promise<Set<string>> {
    const locked = new Set<string>()
    for (const [name, index] of [...used, ...expected]) {
      this.signal.throwIfAborted()
      try {
        await this.build(index, used.has(name))
      } catch (error) {
        this.signal.throwIfAborted()
        this.onError(error, name)
        await drop(this.db, name)
        if (hasState(error, 'lockNotAvailable')) locked.add(name)
      }
    }
    return locked
  }

  private async build(index: FieldIndex, isUsed: boolean): Promise<void> {
    const { db } = this
    const { modelId, fieldId, stage, keys, texts } = index
    const name = indexName(index)
    const there = stage === 'published' ? 'published_at IS NOT NULL' : 'deleted_at IS NULL'
    const rows = `model_id = ${modelId} AND ${there}`
    const where = await db.query<{ partition: string }>(
      `SELECT c.relname AS partition FROM (SELECT tableoid FROM document WHERE ${rows} LIMIT 1) d
         JOIN pg_class c ON c.oid = d.tableoid`,
    )
    const partition = where.rows[0]?.partition
    if (partition === undefined) return
    if (texts.length > 0) {
      const length = texts.map((text) => `coalesce(octet_length(${text}), 0)`).join(' + ')
      const long = await db.query(`SELECT FROM document WHERE ${rows} AND ${length} > ${longestKey} LIMIT 1`)
      if (long.rowCount) return
    }
    if (!(await this.makeRoom(partition, isUsed))) return
    this.changes++
    await db.query('INSERT INTO field_index (name, model_id, field_id, keys) VALUES ($1, $2, $3, $4)', [
      name,
      modelId,
      fieldId,
      keys,
    ])
    await db.query(`CREATE INDEX CONCURRENTLY "${name}" ON "${partition}" (${keys}) WHERE ${rows}`)
    // The planner underestimates the cost of reading a row, which includes decompressing its body. Without statistics
    // on the index, the planner expects few matches and uses the index for counting.
    await db.query(`ALTER INDEX "${name}" ALTER COLUMN 1 SET STATISTICS 0`)
  }

  /**
   * Returns whether one more index fits within the limits. If `isUsed` (its use was recorded), makes room by dropping
   * the least recently used indexes.
   */
  private async makeRoom(partition: string, isUsed: boolean): Promise<boolean> {
    const { perPartition, inTotal } = this.limits
    const { rows } = await this.db.query<{ name: string; partition: string | null }>(
      `SELECT f.name, t.relname AS partition FROM field_index f
         LEFT JOIN pg_class c ON c.relname = f.name AND c.relkind = 'i'
         LEFT JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = i.indrelid
       ORDER BY f.last_used_at, f.name`,
    )
    const here = rows.filter((row) => row.partition === partition)
    const surplus = new Set(here.slice(0, Math.max(0, here.length - perPartition + 1)))
    for (const row of rows) if (rows.length - surplus.size >= inTotal) surplus.add(row)
    if (!isUsed && surplus.size > 0) return false
    for (const { name } of surplus) await drop(this.db, name)
    return true
  }
}
