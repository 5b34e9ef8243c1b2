import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import type { Database } from '#server/db/connection.ts'
import type { Field } from '#shared/fields/index.ts'
import { idPattern } from '#shared/identifiers.ts'
import { type IndexUse, usesOf } from './index-uses.ts'
import type { ContentModel } from './model.ts'
import type { Notices } from './notices.ts'
import { indexedExpression } from './query/sql.ts'
import type { ParsedQuery } from './query/tree.ts'

/*
 * Indexes on single fields of large models, made when published lists are filtered or sorted by them: without one,
 * PostgreSQL unpacks the body of every document. Answers never depend on an index (docs/decisions/0013).
 */

export interface FieldIndexes {
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
}

const usual: FieldIndexLimits = { largeFrom: 5000, perPartition: 64, inTotal: 1000, every: 30_000 }
const hour = 3_600_000
/** The first look comes this many milliseconds after the first reason for one. */
const firstAfter = 1000
/** Any constant that is the same in every process of a database. */
const advisoryLock = 4_922_637_171
/** A B-tree holds keys of up to 2,704 bytes. Where published texts come near, there is no index. */
const longestKey = 2000
const namePattern = /^field_index_\d+_[0-9a-f]{24}(?:_desc)?$/

interface Wanted {
  name: string
  modelId: number
  field: Field
  /** The indexed columns as SQL. */
  keys: string
}

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
  const { largeFrom, perPartition, inTotal, every } = { ...usual, ...limits }
  const { pool } = database
  /** When a use was last passed on: once an hour is enough. */
  const passedOn = new LRUCache<string, true>({ max: 5000, ttl: hour })
  let pending = new Map<string, IndexUse>()
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
      const name = nameOf(use)
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
    const { rows } = await pool.query<{ due: boolean }>(
      `SELECT EXISTS (SELECT FROM field_index) OR
         EXISTS (SELECT FROM model_stat WHERE model_id = ANY($1) AND published > $2) AS due`,
      [[...pending.values()].map((use) => use.modelId), largeFrom],
    )
    const uses = pending
    pending = new Map()
    if (!rows[0]?.due || closed) return
    client = await connect(pool)
    try {
      const own = await client.query<{ pid: number; mine: boolean }>(
        'SELECT pg_backend_pid() AS pid, pg_try_advisory_lock($1) AS mine',
        [advisoryLock],
      )
      backend = own.rows[0]?.pid
      if (own.rows[0]?.mine) await lookAfter(client, uses)
      else for (const [name, use] of uses) pending.set(name, use) // another process may not know of these
    } finally {
      backend = undefined
      const last = client
      client = undefined
      await last.end().catch(() => {}) // gives back the lock
    }
  }

  /** Drops what is no longer right, then builds what is missing. The connection holds the lock. */
  async function lookAfter(db: pg.Client, uses: Map<string, IndexUse>): Promise<void> {
    const known = await readKnown(db)
    const modelIds = [...uses.values()].map((use) => use.modelId)
    for (const index of known) if (index.model_id !== null) modelIds.push(index.model_id)
    const models = await readModels(db, modelIds)
    const wantedAs = (modelId: number, fieldId: string, descending: boolean) =>
      wantedOf({ modelId, fieldId, descending }, models.get(modelId)?.fields)

    const present = new Map<string, Known>()
    const missing = new Map<string, Wanted>()
    for (const index of known) {
      const { name, model_id, field_id } = index
      const wanted =
        model_id === null || field_id === null
          ? undefined
          : wantedAs(model_id, field_id, name.endsWith('_desc'))
      if (wanted && index.valid && wanted.keys === index.keys) {
        present.set(name, index)
        continue
      }
      await drop(db, name)
      // A build that was cut off is taken up again; an index that is simply gone had to go.
      if (wanted && index.valid === false) missing.set(name, wanted)
    }
    for (const [name, use] of uses) {
      const wanted = wantedAs(use.modelId, use.fieldId, use.descending)
      const isLarge = (models.get(use.modelId)?.published ?? 0) > largeFrom
      if (present.has(name))
        await db.query('UPDATE field_index SET last_used_at = now() WHERE name = $1', [name])
      else if (wanted && isLarge) missing.set(name, wanted)
    }
    for (const [name, wanted] of missing) {
      if (closed) return
      try {
        await build(db, wanted)
      } catch (error) {
        if (closed) return
        onError(error, name)
        await drop(db, name)
        const use = uses.get(name)
        if (use && (error as { code?: string }).code === '55P03') pending.set(name, use) // a lock: soon again
      }
    }
  }

  async function build(db: pg.Client, { name, modelId, field, keys }: Wanted): Promise<void> {
    const rows = `model_id = ${modelId} AND published_at IS NOT NULL`
    const where = await db.query<{ partition: string }>(
      `SELECT c.relname AS partition FROM (SELECT tableoid FROM document WHERE ${rows} LIMIT 1) d
         JOIN pg_class c ON c.oid = d.tableoid`,
    )
    const partition = where.rows[0]?.partition
    if (partition === undefined) return
    const expression = indexedExpression(field)
    if (!isNumber(field)) {
      const long = await db.query(
        `SELECT FROM document WHERE ${rows} AND octet_length(${expression}) > ${longestKey} LIMIT 1`,
      )
      if (long.rowCount) return
    }
    await makeRoom(db, partition)
    await db.query('INSERT INTO field_index (name, model_id, field_id, keys) VALUES ($1, $2, $3, $4)', [
      name,
      modelId,
      field._id,
      keys,
    ])
    await db.query(`CREATE INDEX CONCURRENTLY "${name}" ON "${partition}" (${keys}) WHERE ${rows}`)
    // The planner takes reading a row for cheap, but here it means unpacking a body; and it does not know that dates
    // go with the default order. Without statistics it expects few matches, and takes the index.
    if (field.type === 'DATE') await db.query(`ALTER INDEX "${name}" ALTER COLUMN 1 SET STATISTICS 0`)
  }

  /** Drops the least recently used until one more is within the limits. */
  async function makeRoom(db: pg.Client, partition: string): Promise<void> {
    const { rows } = await db.query<{ name: string; partition: string | null }>(
      `SELECT f.name, t.relname AS partition FROM field_index f
         LEFT JOIN pg_class c ON c.relname = f.name AND c.relkind = 'i'
         LEFT JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = i.indrelid
       ORDER BY f.last_used_at, f.name`,
    )
    const here = rows.filter((row) => row.partition === partition)
    const surplus = new Set(here.slice(0, Math.max(0, here.length - perPartition + 1)))
    for (const row of rows) if (rows.length - surplus.size >= inTotal) surplus.add(row)
    for (const { name } of surplus) await drop(db, name)
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
    // A model may have lost a field or be gone; after a reset, somebody may have left something half-built.
    if (notice.kind === 'registry' || notice.kind === 'reset') wake()
  })
  return { note, run, close }
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

function nameOf({ modelId, fieldId, descending }: IndexUse): string {
  if (!Number.isSafeInteger(modelId) || !idPattern.test(fieldId))
    throw new TypeError('not a field of a model')
  return `field_index_${modelId}_${fieldId}${descending ? '_desc' : ''}`
}

function wantedOf(use: IndexUse, fields: Field[] | undefined): Wanted | undefined {
  const field = fields?.find(({ _id }) => _id === use.fieldId)
  const expression = field && indexedExpression(field)
  if (!field || expression === undefined) return undefined
  const keys = `${expression}${use.descending ? ' DESC NULLS LAST' : ''}, id`
  return { name: nameOf(use), modelId: use.modelId, field, keys }
}

const isNumber = (field: Field) =>
  field.type === 'NUMBER' || (field.type === 'SELECT' && field.valueType === 'number')

async function readKnown(db: pg.Client): Promise<Known[]> {
  const { rows } = await db.query<Known>(
    `SELECT coalesce(f.name, i.name) AS name, f.model_id, f.field_id, f.keys, i.partition, i.valid
     FROM field_index f FULL JOIN (
       SELECT c.relname::text COLLATE "C" AS name, t.relname AS partition, i.indisvalid AS valid
       FROM pg_inherits p JOIN pg_class t ON t.oid = p.inhrelid JOIN pg_index i ON i.indrelid = t.oid
         JOIN pg_class c ON c.oid = i.indexrelid
       WHERE p.inhparent = 'document'::regclass AND c.relname LIKE 'field\\_index\\_%'
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
