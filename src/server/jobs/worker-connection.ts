import type pg from 'pg'
import { clientLike } from '#server/db/connection.ts'
import { outboxChannel } from './events.ts'

/**
 * Connection whose advisory lock shows that a worker is alive. PostgreSQL releases the lock however the process ends.
 */
export interface WorkerConnection {
  /** Resolves when every process can see that this worker is alive. */
  alive: Promise<void>
  close(): Promise<void>
}

interface Duties {
  /** Called when the outbox may have new events, if this process reads it. */
  onEvent(): void
  /** Called when this process starts or stops being the reader of the outbox. */
  onLeader(isLeader: boolean): void
  onError(error: unknown): void
}

/** An arbitrary constant that must be the same in all processes of a database. */
const outboxLock = 4_922_637_173
const sweepEvery = 2_000
const reconnectAfter = 500

/**
 * Releases the queue entries of dead workers, so that other workers can take them. `is_worker_alive` checks the locks
 * of the workers.
 */
const sweep = `
  SELECT graphile_worker.force_unlock_workers(array_agg(worker)) FROM (
    SELECT DISTINCT locked_by AS worker FROM graphile_worker.jobs WHERE locked_by IS NOT NULL) AS held
  WHERE NOT is_worker_alive(worker) HAVING count(*) > 0`

/** Connects with the settings of `pool`, and reconnects whenever the connection is lost, until closed. */
export function openWorkerConnection(pool: pg.Pool, worker: string, duties: Duties): WorkerConnection {
  let client: pg.Client | undefined
  let isLeader = false
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let nowAlive: () => void
  const alive = new Promise<void>((resolve) => {
    nowAlive = resolve
  })

  function lead(next: boolean): void {
    if (isLeader === next) return
    isLeader = next
    duties.onLeader(next)
  }

  async function connect(): Promise<void> {
    const next = clientLike(pool, 'imori worker')
    client = next
    next.on('error', () => drop(next))
    next.on('end', () => drop(next))
    next.on('notification', () => {
      if (isLeader) duties.onEvent()
    })
    try {
      await next.connect()
      await next.query(`LISTEN ${outboxChannel}`)
      await next.query('SELECT pg_advisory_lock(worker_lock($1))', [worker])
      nowAlive()
      await look(next)
    } catch (error) {
      if (!closed) duties.onError(error)
      drop(next)
    }
  }

  /**
   * Checks the connection, releases the entries of dead workers, and tries to become the reader of the outbox. Runs
   * every two seconds.
   */
  async function look(current: pg.Client): Promise<void> {
    if (closed || client !== current) return
    try {
      await current.query(sweep)
      if (!isLeader) {
        const { rows } = await current.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [
          outboxLock,
        ])
        if (client === current) lead(rows[0]?.mine ?? false)
      }
      timer = setTimeout(() => void look(current), sweepEvery)
      timer.unref()
    } catch (error) {
      if (!closed) duties.onError(error)
      drop(current)
    }
  }

  function drop(current: pg.Client): void {
    if (client !== current) return
    client = undefined
    clearTimeout(timer)
    lead(false)
    current.end().catch(() => {})
    if (closed) return
    timer = setTimeout(() => void connect(), reconnectAfter)
    timer.unref()
  }

  void connect()
  return {
    alive,
    async close() {
      closed = true
      clearTimeout(timer)
      const last = client
      client = undefined
      lead(false)
      await last?.end().catch(() => {})
    },
  }
}
