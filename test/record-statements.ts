import pg from 'pg'
import { vi } from 'vitest'
import type { Sent } from './told-statements.ts'

/**
 * Reports each statement that is sent through this pool, and also runs it. Ignores other connections, such as the
 * connection that listens for notices.
 */
export function recordStatements(pool: pg.Pool, tell: (sent: Sent) => void): void {
  const ofPool = new WeakSet<object>()
  pool.on('acquire', (client) => ofPool.add(client))
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: object, ...args: unknown[]) {
    const [statement, values] = args as [string | Partial<Sent>, unknown]
    const { text = '', values: own = [] } = typeof statement === 'string' ? { text: statement } : statement
    if (ofPool.has(this)) tell({ text, values: Array.isArray(values) ? values : own })
    return query.apply(this, args)
  } as typeof pg.Client.prototype.query)
}
