import type { FastifyInstance } from 'fastify'
import { clientLike, type Database } from '#server/db/connection.ts'
import { AppError } from '#shared/errors.ts'

/** Milliseconds for which an answer of PostgreSQL's is taken as that of now, and after which it counts as none. */
const fresh = 500
const patience = 2_000

/**
 * `/healthz`: this process lives and answers; one that does not should be started again. `/readyz`: PostgreSQL takes connections
 * too, so that requests can be served; without it this answers 503 and needs no start, because the process goes on by itself.
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

/** On a connection of its own: that all of a pool are busy does not mean that nobody is served. */
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
