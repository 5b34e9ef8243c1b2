import pg from 'pg'

export interface QueuePool {
  pool: pg.Pool
  /** Closes all connections immediately, including those in use. */
  destroy(): void
}

/**
 * Opens the pool of the job queue, with the settings of the given pool. graphile-worker does not await all of its
 * statements, and an unhandled rejection would end the process. Therefore no statement of this pool rejects. The first
 * error is passed to `onFailed`, which must discard the queue that uses this pool. A failed statement never settles,
 * and no connection is handed out after the first error.
 *
 * The queue's bookkeeping (entries taken and removed) commits asynchronously. If a crash of PostgreSQL loses it, an
 * entry is offered again, and its job's row shows whether it still has to run.
 */
export function openQueuePool({ options }: pg.Pool, onFailed: (error: Error) => void): QueuePool {
  let hasFailed = false
  const clients = new Set<pg.PoolClient>()
  const fail = (error: Error) => {
    if (hasFailed) return
    hasFailed = true
    onFailed(error)
  }
  const unlessFailed = <T>(result: Promise<T>): Promise<T> =>
    new Promise((resolve) => {
      result.then(resolve, fail)
    })
  /**
   * Wraps a callback, which graphile-worker or pg-pool may pass as the last argument, so that it never gets an error.
   */
  const withoutError =
    (callback: (...given: unknown[]) => void) =>
    (error: Error | null | undefined, ...results: unknown[]) =>
      error ? fail(error) : callback(undefined, ...results)

  class QueueClient extends pg.Client {
    override query(...given: unknown[]): never {
      const query = super.query as unknown as (...given: unknown[]) => unknown
      const callback = given.at(-1)
      if (typeof callback !== 'function')
        return unlessFailed(query.apply(this, given) as Promise<unknown>) as never
      return query.apply(this, [...given.slice(0, -1), withoutError(callback as never)]) as never
    }
  }
  class QueueConnections extends pg.Pool {
    override connect(callback?: unknown): never {
      if (hasFailed) return new Promise(() => {}) as never
      const connect = super.connect as unknown as (callback?: unknown) => unknown
      if (callback) return connect.call(this, withoutError(callback as never)) as never
      return unlessFailed(connect.call(this) as Promise<unknown>) as never
    }
  }

  const pool = new QueueConnections({
    ...options,
    // `password` is not enumerable, so the spread does not copy it.
    ...(options.password === undefined ? {} : { password: options.password }),
    application_name: 'imori queue',
    options: `${options.options ?? ''} -c synchronous_commit=off`,
    max: 4,
    Client: QueueClient,
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    if (hasFailed) end(client)
    else clients.add(client)
  })
  pool.on('remove', (client) => clients.delete(client))
  return {
    pool,
    destroy() {
      hasFailed = true
      pool.end().catch(() => {})
      for (const client of clients) end(client)
    },
  }
}

function end(client: pg.PoolClient): void {
  ;(client as unknown as pg.Client).end().catch(() => {})
}
