import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { contractCalls } from '#server/access/operations/call-contract.ts'
import type { Operation } from '#server/access/operations/operation.ts'
import { type Db, inTransaction, type Tx } from '#server/db/scope.ts'
import type { Services } from '#server/services.ts'
import type { EventType } from '#shared/events.ts'
import { enqueueOnce } from './enqueue.ts'
import type { ConsumerContext, EventConsumer, OutboxEvent } from './event-consumer.ts'

const batchSize = 500

/** An arbitrary constant that must be the same in all processes of a database. */
const placingLock = 4_922_637_174

/**
 * Assigns positions to committed events that have no position. Returns whether there may be more. Writers lock a
 * document's row until they commit. The earlier of two events of one document therefore has the smaller id and becomes
 * visible first. Positions thus follow the commit order of each document, and events that are not visible yet get later
 * positions. Ids alone are not enough, because a reader would skip events of slow transactions. Transaction ids are not
 * enough either, because they are assigned before a transaction waits for the document.
 */
export async function placeEvents(db: Db): Promise<boolean> {
  const { numAffectedRows } = await inTransaction(db, async (tx) => {
    // Another process may have taken over before this one notices. The two must not assign positions at the same time.
    await sql`SELECT pg_advisory_xact_lock(${placingLock}::bigint)`.execute(tx)
    return sql`
      WITH unplaced AS MATERIALIZED (SELECT id FROM event WHERE position IS NULL ORDER BY id LIMIT ${batchSize}),
        placed AS MATERIALIZED (SELECT id, nextval('event_position') AS position FROM unplaced)
      UPDATE event SET position = placed.position FROM placed WHERE event.id = placed.id`.execute(tx)
  })
  return Number(numAffectedRows ?? 0) === batchSize
}

/**
 * Returns the stored position of an event consumer. A new consumer starts after all events that already have positions.
 */
async function openCursor(db: Db, name: string): Promise<number> {
  await sql`
    INSERT INTO outbox_cursor (name, position) VALUES (${name}, (SELECT coalesce(max(position), 0) FROM event))
    ON CONFLICT DO NOTHING`.execute(db)
  const row = await db
    .selectFrom('outbox_cursor')
    .select('position')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return row.position
}

/** Returns the next events of all types. Payloads are read for `types` only, because an import's payload is large. */
async function readEvents(db: Db, after: number, types: readonly EventType[]): Promise<OutboxEvent[]> {
  const rows = await db
    .selectFrom('event')
    .select([
      'position',
      'type',
      'space_id',
      'app_id',
      'model_id',
      'document_id',
      'actor_kind',
      'actor_id',
      'actor_name',
      'created_at',
    ])
    .select(
      sql<OutboxEvent['payload']>`CASE WHEN type = ANY(${types}) THEN payload ELSE '{}' END`.as('payload'),
    )
    .where('position', '>', after)
    .orderBy('position')
    .limit(batchSize)
    .execute()
  return rows.map((row) => ({
    position: Number(row.position),
    type: row.type as EventType,
    spaceId: row.space_id,
    appId: row.app_id,
    modelId: row.model_id,
    documentId: row.document_id,
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    actorName: row.actor_name,
    payload: row.payload,
    createdAt: row.created_at,
  }))
}

/** Returns the position of the cursor, and locks it until the transaction ends. */
async function lockCursor(tx: Tx, name: string): Promise<number> {
  const row = await tx
    .selectFrom('outbox_cursor')
    .select('position')
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return row.position
}

/**
 * Moves the cursor of an event consumer forwards, unless another process has moved it further. Also deletes the records
 * of jobs that {@link enqueueOnce} added for events up to the cursor.
 */
async function moveCursor(db: Db, name: string, position: number): Promise<void> {
  await db
    .with('moved', (query) =>
      query
        .updateTable('outbox_cursor')
        .set({ position, updated_at: sql`now()` })
        .where('name', '=', name)
        .where('position', '<', position),
    )
    .deleteFrom('event_job')
    .where('consumer', '=', name)
    .where('position', '<=', position)
    .execute()
}

export interface Outbox {
  /** Must be called when there may be new events. */
  wake(): void
  /** Stops reading and waits for running handlers. */
  stop(): Promise<void>
}

/** Milliseconds to wait for further events before assigning positions. */
const gatherFor = 20
const retryAfter = { first: 500, most: 60_000 }

/** Reads the outbox for these event consumers, which can execute `operations`, until stopped. */
export function readOutbox(
  db: Db,
  eventConsumers: readonly EventConsumer[],
  services: Services,
  operations: readonly Operation[] = [],
): Outbox {
  const { log } = services
  const end = new AbortController()
  const { signal } = end
  const placing = createTurns()
  const placed = eventConsumers.map(() => createTurns())

  async function place(): Promise<void> {
    while (!signal.aborted) {
      const more = await placeEvents(db)
      for (const turns of placed) turns.next()
      if (more) continue
      await placing.wait()
      // Under load, one commit then assigns positions to the events of several writers.
      await sleep(gatherFor, undefined, { signal }).catch(() => {})
    }
  }

  async function deliver(consumer: EventConsumer, turns: Turns): Promise<void> {
    const own = { ...services, log: log.child({ consumer: consumer.name }) }
    const contextOf = <Handle extends Db>(handle: Handle): ConsumerContext<Handle> => ({
      db: handle,
      services: own,
      enqueueOnce: (db, event, ...added) => enqueueOnce(db, { consumer: consumer.name, event }, ...added),
      executeAs: (caller) => contractCalls({ db: handle, services: own }, operations, caller, signal),
      signal,
    })
    let position = await openCursor(db, consumer.name)
    while (!signal.aborted) {
      const events = await readEvents(db, position, consumer.types)
      const last = events.at(-1)
      if (!last) {
        await turns.wait()
        continue
      }
      const wanted = events.filter((event) => consumer.types.includes(event.type))
      if (consumer.atomic) {
        const from = position
        position = await inTransaction(db, async (tx) => {
          const current = await lockCursor(tx, consumer.name)
          // Another process has processed these events.
          if (current !== from) return current
          if (wanted.length > 0) await consumer.handle(wanted, contextOf(tx))
          await moveCursor(tx, consumer.name, last.position)
          return last.position
        })
      } else {
        if (wanted.length > 0) await consumer.handle(wanted, contextOf(db))
        position = last.position
        await moveCursor(db, consumer.name, position)
      }
    }
  }

  /** Repeats the work, with increasing delays, until stopped. */
  async function persist(name: string, work: () => Promise<void>): Promise<void> {
    for (let wait = retryAfter.first; !signal.aborted; wait = Math.min(wait * 2, retryAfter.most)) {
      const begun = performance.now()
      await work().catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error, consumer: name }, 'Reading the outbox failed')
      })
      if (performance.now() - begun > retryAfter.most) wait = retryAfter.first
      await sleep(wait, undefined, { signal }).catch(() => {})
    }
  }

  const running = [
    persist('outbox', place),
    ...eventConsumers.map((consumer, index) =>
      persist(consumer.name, () => deliver(consumer, placed[index] as Turns)),
    ),
  ]
  return {
    wake: () => placing.next(),
    async stop() {
      end.abort()
      for (const turns of [placing, ...placed]) turns.next()
      await Promise.all(running)
    },
  }
}

interface Turns {
  next(): void
  /** Resolves at the next call of `next`, or immediately if it was called since the last wait. */
  wait(): Promise<void>
}

function createTurns(): Turns {
  let due = false
  let wakeUp: (() => void) | undefined
  return {
    next() {
      due = true
      wakeUp?.()
    },
    async wait() {
      if (!due)
        await new Promise<void>((resolve) => {
          wakeUp = resolve
        })
      due = false
    },
  }
}

/**
 * Deletes up to 500 events that are older than `days` and were processed by every event consumer. Returns the number
 * deleted. Consumers whose position has not changed during that time are ignored, because they are assumed to be
 * removed.
 */
export async function trimEvents(db: Db, days: number): Promise<number> {
  const old = sql`now() - make_interval(days => ${days})`
  const { numAffectedRows } = await sql`
    DELETE FROM event WHERE id IN (
      SELECT id FROM event WHERE created_at < ${old}
        AND position <= coalesce((SELECT min(position) FROM outbox_cursor WHERE updated_at > ${old}), position)
      ORDER BY position LIMIT ${batchSize})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
