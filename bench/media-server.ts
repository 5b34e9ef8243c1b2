import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '#server/db/connection.ts'
import { startEmbeddedPostgres } from '#server/db/embedded-postgres/start.ts'
import { migrate } from '#server/db/migrate.ts'
import { migrateQueue } from '#server/jobs/queue-schema.ts'
import { serverFlags } from '../scripts/lib/server-flags.mjs'
import { startCommand } from './measuring.ts'

/* A server in a separate process with the space `bench` and a signed-in account. */

export interface MediaServer {
  origin: string
  pid: number
  /** Pid of the postmaster of PostgreSQL. */
  postmaster: number
  database: Database
  /** Headers with the session of the space's admin. */
  headers: Record<string, string>
  /** Kills the server with SIGKILL and restarts it with another origin and pid. */
  killAndStart(): Promise<void>
  close(): Promise<void>
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return String(typeof address === 'object' && address ? address.port : 0)
}

/**
 * Starts `dist/server/main.js` on the data of the benchmark. It runs as in production, so that its memory use is
 * realistic.
 */
async function startBuilt(folder: string, key: string, env: Record<string, string>) {
  const port = await freePort()
  const flags = process.env.BENCH_NODE_FLAGS?.split(' ') ?? serverFlags
  const [server] = await startCommand(
    [process.execPath, ...flags, 'dist/server/main.js'],
    {
      IMORI_LOG_LEVEL: 'error',
      ...env,
      IMORI_DATA: folder,
      IMORI_PORT: port,
      IMORI_SESSION_KEY: key,
      IMORI_ENCRYPTION_KEYS: Buffer.alloc(32, 'only for the bench').toString('base64'),
    },
    /^Imori is ready/,
  )
  return { server, origin: `http://localhost:${port}`, pid: Number(server.pid) }
}

/** Starts the server. `env`: settings; `isBuilt`: whether it runs from the build instead of the sources. */
export async function startMediaServer(
  env: Record<string, string> = {},
  { isBuilt = false }: { isBuilt?: boolean } = {},
): Promise<MediaServer> {
  const folder = mkdtempSync(join(tmpdir(), 'imori-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: console.warn })
  const database = await openDatabase(postgres.connection)
  await migrate(database)
  await migrateQueue(database)
  const key = 'only-for-the-bench-only-for-the-bench-only'
  const start = async () => {
    if (isBuilt) return startBuilt(folder, key, env)
    const parameters = [JSON.stringify(postgres.connection), key, folder]
    const [server, port] = await startCommand(
      [process.execPath, '--import', 'tsx', 'bench/delivery-server.ts', ...parameters],
      env,
    )
    return { server, origin: `http://127.0.0.1:${port}`, pid: Number(server.pid) }
  }
  const running = await start()
  const { origin } = running
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, ...headers },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  const account = { email: 'bench@example.com', password: 'いもりは池にいる2026', name: 'bench' }
  const signedUp = await post('/api/auth/signup', account)
  const cookie = signedUp.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const token = await fetch(`${origin}/api/auth/csrfToken`, { headers: { cookie } })
  const { csrfToken } = (await token.json()) as { csrfToken: string }
  const headers = { cookie, 'x-csrf-token': csrfToken }
  await post('/api/project', { project: { uid: 'bench', name: 'bench' } }, headers)
  return {
    get origin() {
      return running.origin
    },
    get pid() {
      return running.pid
    },
    postmaster: Number(readFileSync(join(folder, 'database/postmaster.pid'), 'utf8').split('\n')[0]),
    database,
    headers,
    async killAndStart() {
      const gone = once(running.server, 'exit')
      running.server.kill('SIGKILL')
      await gone
      Object.assign(running, await start())
    },
    async close() {
      const gone = once(running.server, 'exit')
      running.server.kill()
      await gone
      await database.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
