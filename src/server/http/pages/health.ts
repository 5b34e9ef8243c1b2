import type { FastifyInstance } from 'fastify'
import { clientLike, type Database } from '#server/db/connection.ts'
import { AppError } from '#shared/errors.ts'

/** Time in ms for which an answer of PostgreSQL is reused, and time limit in ms for an answer. */
const fresh = 500
const patience = 2_000

/**
 * Serves `/healthz` and `/readyz`. `/healthz` answers while this process is alive; a process that does not answer
 * should be restarted. `/readyz` answers 200 if PostgreSQL accepts connections, so that requests can be served.
 * Otherwise it answers 503. No restart is needed then, because the process recovers automatically.
 */
export function serveHealth(server: FastifyInstance, { pool }: Pick<Database, 'pool'>): void {
  let asked: { at: number; answer: Promise<void> } | undefined
  const ask = () => {
    if (!asked || performance.now() - asked.at > fresh) {
      asked = { at: performance.now(), answer: connects(pool) }
      asked.answer.catch(() => {})
    }
    return asked.answer
  }
  server.get('/healthz', () => ({ status: 'ok' }))
  server.get('/readyz', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    try {
      await ask()
    } catch (cause) {
      throw new AppError('ServiceUnavailable', { headers: { 'retry-after': '1' }, cause })
    }
    return { status: 'ready' }
  })
}

/**
 * Checks that PostgreSQL accepts a connection. Uses a separate connection. Otherwise a pool whose connections are all
 * busy would look like an unreachable PostgreSQL.
 */
async function connects(pool: Database['pool']): Promise<void> {
  const client = clientLike(pool, 'imori readiness')
  client.on('error', () => {})
  let giveUp: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_resolve, reject) => {
    giveUp = setTimeout(() => reject(new Error('PostgreSQL does not answer')), patience)
  })
  const asking = client.connect().then(() => client.query('SELECT 1'))
  try {
    await Promise.race([asking, silence])
  } finally {
    clearTimeout(giveUp)
    asking.catch(() => {})
    client.end().catch(() => {})
  }
}
