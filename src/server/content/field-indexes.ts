import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import type { Database } from '#server/db/connection.ts'
import { hasState } from '#server/db/sql-states.ts'
import type { Field } from '#shared/fields/index.ts'
import { expectedUses, usesOf } from './index-uses.ts'
import type { ContentModel } from './model.ts'
import type { Notices } from './notices.ts'
import { type FieldIndex, indexName, indexWith, type KnownIndexes } from './query/indexes.ts'
import type { ParsedQuery } from './query/tree.ts'

/*
 * Indexes on single fields of large models: some as soon as a model is large, others when published lists are filtered
 * or sorted by them. Without one, PostgreSQL unpacks the body of every document. Answers never depend on an index
 * (docs/decisions/0013, 0017).
 */

export interface FieldIndexes extends KnownIndexes {
  /** Remembers in memory what a list of published contents filters and sorts by. */
  note(model: ContentModel, query: ParsedQuery): void
  /** Builds and drops what is due, now. Does nothing when another process is at it. */
  run(): Promise<void>
  /** Ends within five seconds; a build that is under way is given up. */
  close(): Promise<void>
}

export interface FieldIndexLimits {
  /** Models with more published documents than this get indexes. */
  largeFrom: number
  perPartition: number
  inTotal: number
  /** Milliseconds between two runs. */
  every: number
  /** The first look comes this many milliseconds after the first reason for one. */
  firstAfter: number
}

const usual: FieldIndexLimits = {
  largeFrom: 1000,
  perPartition: 64,
  inTotal: 1000,
  every: 30_000,
  firstAfter: 1000,
}
const hour = 3_600_000
/** Any constant that is the same in every process of a database. */
const advisoryLock = 4_922_637_171
/** A B-tree holds keys of up to 2,704 bytes. Where published texts come near, there is no index. */
const longestKey = 2000
const namePattern = /^field_index_\d+_[0-9a-f]{24}(?:_\w+)?$/

/** What is there: a row of field_index, an index on a partition, or both. */
interface Known {
  name: string
  model_id: number | null
  field_id: string | null
  keys: string | null
  partition: string | null
  valid: boolean | null
}

/** Watches over the indexes; `onError` hears of what failed, and which index it was about if it was one. */
export function createFieldIndexes(
  database: Pick<Database, 'pool'>,
  notices: Pick<Notices, 'subscribe'>,
  onError: (error: unknown, name?: string) => void,
  limits: Partial<FieldIndexLimits> = {},
): FieldIndexes {
  const { largeFrom, perPartition, inTotal, every, firstAfter } = { ...usual, ...limits }
  const { pool } = database
  /** When a use was last passed on: once an hour is enough. */
  const passedOn = new LRUCache<string, true>({ max: 5000, ttl: hour })
  let pending = new Map<string, FieldIndex>()
  /** Models that were written to, and may have become large. */
  let written = new Set<number>()
  /** Large models that have what is expected of them. */
  let settled = new Set<number>()
  let isNew = true
  /** Names of the indexes that are there. */
  let known = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let lastRun = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  let client: pg.Client | undefined
  let backend: number | undefined
  let closed = false
  /** Something became due while a run was under way. */
  let again = false

  function wake(): void {
    if (running) again = true
    if (closed || timer || running) return
    const delay = Math.max(firstAfter, lastRun + every - performance.now())
    timer = setTimeout(() => void run(), delay)
    timer.unref()
  }

  function note(model: ContentModel, query: ParsedQuery): void {
    if (closed) return
    for (const use of usesOf(model, query)) {
      const name = indexName(use)
      if (passedOn.has(name)) continue
      passedOn.set(name, true)
      pending.set(name, use)
      wake()
    }
  }

  function run(): Promise<void> {
    if (closed) return Promise.resolve()
    running ??= work()
      .catch((error: unknown) => {
        if (!closed) onError(error)
      })
      .finally(() => {
        running = undefined
        lastRun = performance.now()
        if (again || pending.size > 0) wake()
        again = false
      })
    return running
  }

  async function work(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const uses = pending
    const ids = [...new Set([...written, ...[...uses.values()].map((use) => use.modelId)])]
    const { rows } = await pool.query<{ due: boolean; large: number[] }>(
      `SELECT EXISTS (SELECT FROM field_index) AS due,
         ARRAY(SELECT model_id FROM model_stat WHERE published > $2 AND (model_id = ANY($1) OR $3)) AS large`,
      [ids, largeFrom, isNew],
    )
    const { due = false, large = [] } = rows[0] ?? {}
    const unsettled = large.filter((id) => !settled.has(id))
    pending = new Map()
    written = new Set()
    isNew = false
    // What is there already is looked after when there is a reason to beside it.
    if (closed || !(due || large.length > 0)) return
    client = await connect(pool)
    try {
      const own = await client.query<{ pid: number; mine: boolean }>(
        'SELECT pg_backend_pid() AS pid, pg_try_advisory_lock($1) AS mine',
        [advisoryLock],
      )
      backend = own.rows[0]?.pid
      if (own.rows[0]?.mine) await lookAfter(client, uses, unsettled)
      else {
        // Another process is at it, and may not know of these.
        for (const [name, use] of uses) pending.set(name, use)
        for (const id of unsettled) written.add(id)
      }
      await recognize()
    } finally {
      backend = undefined
      const last = client
      client = undefined
      await last.end().catch(() => {}) // gives back the lock
    }
  }

  /** Drops what is no longer right, then builds what is missing. The connection holds the lock. */
  async function lookAfter(db: pg.Client, uses: Map<string, FieldIndex>, large: number[]): Promise<void> {
    const found = await readKnown(db)
    const modelIds = [...large, ...[...uses.values()].map((use) => use.modelId)]
    for (const index of found) if (index.model_id !== null) modelIds.push(index.model_id)
    const models = await readModels(db, modelIds)
    const wantedAs = ({ modelId, fieldId, keys }: Omit<FieldIndex, 'texts'>) =>
      indexWith(modelId, fieldId, keys, models.get(modelId)?.fields ?? [])

    const present = new Set<string>()
    const missing = new Map<string, FieldIndex>()
    let changes = 0
    for (const { name, model_id: modelId, field_id: fieldId, keys, valid } of found) {
      const wanted =
        modelId === null || fieldId === null || keys === null
          ? undefined
          : wantedAs({ modelId, fieldId, keys })
      const isRight = wanted && indexName(wanted) === name
      if (isRight && valid) {
        present.add(name)
        continue
      }
      changes++
      await drop(db, name)
      // A build that was cut off is taken up again; an index that is simply gone had to go.
      if (isRight && valid === false) missing.set(name, wanted)
    }
    for (const [name, use] of uses) {
      const wanted = wantedAs(use)
      const isLarge = (models.get(use.modelId)?.published ?? 0) > largeFrom
      if (present.has(name))
        await db.query('UPDATE field_index SET last_used_at = now() WHERE name = $1', [name])
      else if (wanted && isLarge) missing.set(name, wanted)
    }
    // What nobody has asked for yet takes nothing from what is used.
    const expected = new Map<string, FieldIndex>()
    for (const id of large)
      for (const index of expectedUses(id, models.get(id)?.fields ?? [])) {
        const name = indexName(index)
        if (!present.has(name) && !missing.has(name)) expected.set(name, index)
      }
    for (const [name, wanted] of [...missing, ...expected]) {
      if (closed) return
      changes++
      try {
        await build(db, wanted, missing.has(name))
      } catch (error) {
        if (closed) return
        onError(error, name)
        await drop(db, name)
        if (!hasState(error, 'lockNotAvailable')) continue
        const use = uses.get(name)
        if (use)
          pending.set(name, use) // a lock: soon again
        else large = large.filter((id) => id !== wanted.modelId)
      }
    }
    for (const id of large) settled.add(id)
    if (changes > 0)
      await db.query('SELECT pg_notify($1, $2)', ['imori', JSON.stringify({ kind: 'indexes' })])
  }

  async function build(db: pg.Client, index: FieldIndex, isUsed: boolean): Promise<void> {
    const { modelId, fieldId, keys, texts } = index
    const name = indexName(index)
    const rows = `model_id = ${modelId} AND published_at IS NOT NULL`
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
    if (!(await makeRoom(db, partition, isUsed))) return
    await db.query('INSERT INTO field_index (name, model_id, field_id, keys) VALUES ($1, $2, $3, $4)', [
      name,
      modelId,
      fieldId,
      keys,
    ])
    await db.query(`CREATE INDEX CONCURRENTLY "${name}" ON "${partition}" (${keys}) WHERE ${rows}`)
    // The planner takes reading a row for cheap, but here it means unpacking a body. Without statistics it expects few
    // matches, and counts by the index.
    await db.query(`ALTER INDEX "${name}" ALTER COLUMN 1 SET STATISTICS 0`)
  }

  /** Learns which indexes are there. */
  async function recognize(): Promise<void> {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT c.relname::text AS name FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
       WHERE c.relkind = 'i' AND c.relname ~ '^field_index_[0-9]' AND i.indisvalid`,
    )
    known = new Set(rows.map(({ name }) => name))
  }

  /** Is there room for one more? For one that is used, the least recently used ones are dropped. */
  async function makeRoom(db: pg.Client, partition: string, isUsed: boolean): Promise<boolean> {
    const { rows } = await db.query<{ name: string; partition: string | null }>(
      `SELECT f.name, t.relname AS partition FROM field_index f
         LEFT JOIN pg_class c ON c.relname = f.name AND c.relkind = 'i'
         LEFT JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = i.indrelid
       ORDER BY f.last_used_at, f.name`,
    )
    const here = rows.filter((row) => row.partition === partition)
    const surplus = new Set(here.slice(0, Math.max(0, here.length - perPartition + 1)))
    for (const row of rows) if (rows.length - surplus.size >= inTotal) surplus.add(row)
    if (!isUsed && surplus.size > 0) return false
    for (const { name } of surplus) await drop(db, name)
    return true
  }

  async function close(): Promise<void> {
    closed = true
    clearTimeout(timer)
    if (!running) return
    // What is half-built stays behind with its row and is taken up after the next start.
    if (backend !== undefined)
      await Promise.race([pool.query('SELECT pg_cancel_backend($1)', [backend]).catch(() => {}), pause(2000)])
    await Promise.race([running, pause(2500)])
    client?.end().catch(() => {})
  }

  notices.subscribe((notice) => {
    if (notice.kind === 'indexes' || notice.kind === 'reset') void recognize().catch(() => {})
    if (notice.kind === 'model') {
      if (settled.has(notice.modelId)) return
      written.add(notice.modelId)
      wake()
    }
    // A model may have lost a field or be gone; after a reset, somebody may have left something half-built.
    if (notice.kind === 'registry' || notice.kind === 'reset') {
      settled = new Set()
      isNew = true
      wake()
    }
  })
  return { note, run, close, has: (index) => known.has(indexName(index)) }
}

const pause = (milliseconds: number) => sleep(milliseconds, undefined, { ref: false })

/** A connection of our own: statements may take long, waiting for locks may not. */
async function connect(pool: pg.Pool): Promise<pg.Client> {
  const { password } = pool.options // not enumerable
  const client = new pg.Client({
    ...pool.options,
    ...(password === undefined ? {} : { password }),
    application_name: 'imori indexes',
  })
  client.on('error', () => {}) // the statement under way fails
  await client.connect()
  await client.query(`SET statement_timeout = 0; SET lock_timeout = '10s'`)
  return client
}

async function readKnown(db: pg.Client): Promise<Known[]> {
  const { rows } = await db.query<Known>(
    `SELECT coalesce(f.name, i.name) AS name, f.model_id, f.field_id, f.keys, i.partition, i.valid
     FROM field_index f FULL JOIN (
       SELECT c.relname::text COLLATE "C" AS name, t.relname AS partition, i.indisvalid AS valid
       FROM pg_inherits p JOIN pg_class t ON t.oid = p.inhrelid JOIN pg_index i ON i.indrelid = t.oid
         JOIN pg_class c ON c.oid = i.indexrelid
       WHERE p.inhparent = 'document'::regclass AND c.relname ~ '^field_index_[0-9]'
     ) i ON i.name = f.name`,
  )
  return rows.filter(({ name }) => namePattern.test(name))
}

/** The living ones among models, with how many documents they publish. */
async function readModels(
  db: pg.Client,
  ids: number[],
): Promise<Map<number, { fields: Field[]; published: number }>> {
  const { rows } = await db.query<{ id: number; fields: Field[]; published: number }>(
    `SELECT m.id, m.fields, s.published FROM model m JOIN model_stat s ON s.model_id = m.id
       JOIN app a ON a.id = m.app_id JOIN space p ON p.id = m.space_id
     WHERE m.id = ANY($1) AND m.deleted_at IS NULL AND a.deleted_at IS NULL AND p.deleted_at IS NULL`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

async function drop(db: pg.Client, name: string): Promise<void> {
  await db.query(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`)
  await db.query('DELETE FROM field_index WHERE name = $1', [name])
}
