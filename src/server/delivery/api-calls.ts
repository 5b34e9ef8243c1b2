import type pg from 'pg'
import { isConnectionLost } from '#server/db/sql-states.ts'
import type { DeliveryToken } from './tokens.ts'

export interface ApiCalls {
  /** Counts a successful call with this token, in memory. */
  count(token: Pick<DeliveryToken, 'spaceId' | 'kind'>): void
  /** Writes the counted calls. */
  close(): Promise<void>
}

interface Calls {
  spaceId: number
  /** Number of days since 1970, in UTC. */
  day: number
  cdn: number
  api: number
}

const dayMs = 86_400_000
/** Greater than each number of a day, so that a space and a day together have a unique number. */
const maxDay = 1_000_000

interface ApiCallOptions {
  onError(error: unknown): void
  /** Time in ms from the first counted call to the write. */
  flushAfterMs?: number
  /** Maximum number of counters in memory, one per space and day. Above it, calls of further spaces are not counted. */
  maxCounters?: number
  /** Returns the time in ms since 1970. */
  now?: () => number
}

/**
 * Creates the counter of the delivery API's calls per space, kind of token and day (`features/usage`). Writes in one
 * statement per interval. A crash of the process loses the calls since the last write. If the connection is lost during
 * a write, its calls are not written again, because PostgreSQL may have counted them.
 */
export function createApiCalls(
  pool: Pick<pg.Pool, 'query'>,
  { onError, flushAfterMs = 5_000, maxCounters = 10_000, now = Date.now }: ApiCallOptions,
): ApiCalls {
  let counters = new Map<number, Calls>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function counterOf(spaceId: number, day: number): Calls | undefined {
    const key = spaceId * maxDay + day
    const known = counters.get(key)
    if (known || counters.size >= maxCounters) return known
    const calls = { spaceId, day, cdn: 0, api: 0 }
    counters.set(key, calls)
    timer ??= setTimeout(() => void flush(), flushAfterMs).unref()
    return calls
  }

  async function write(): Promise<void> {
    const calls = [...counters.values()]
    if (calls.length === 0) return
    counters = new Map()
    try {
      await pool.query(
        `INSERT INTO usage_day (space_id, day, cdn_calls, api_calls)
        SELECT space_id, date '1970-01-01' + day, cdn, api
        FROM unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[]) AS calls (space_id, day, cdn, api)
        JOIN space ON space.id = space_id ORDER BY space_id, day
        ON CONFLICT (space_id, day) DO UPDATE SET cdn_calls = usage_day.cdn_calls + excluded.cdn_calls,
          api_calls = usage_day.api_calls + excluded.api_calls`,
        [
          calls.map(({ spaceId }) => spaceId),
          calls.map(({ day }) => day),
          calls.map(({ cdn }) => cdn),
          calls.map(({ api }) => api),
        ],
      )
    } catch (error) {
      onError(error)
      if (!isConnectionLost(error)) calls.forEach(countAgain)
    }
  }

  function countAgain({ spaceId, day, cdn, api }: Calls): void {
    const counter = counterOf(spaceId, day)
    if (!counter) return
    counter.cdn += cdn
    counter.api += api
  }

  /** Writes after a write that is running. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }

  return {
    count({ spaceId, kind }) {
      const counter = counterOf(spaceId, Math.floor(now() / dayMs))
      if (counter) counter[kind]++
    },
    close: flush,
  }
}
