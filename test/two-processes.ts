import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dispatcher, type FormData, Pool } from 'undici'
import type { Connection } from '#server/db/connection.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { toUrl } from './database-names.ts'
import { type MainProcess, startMain } from './process.ts'

/** Two processes of one installation, run from the build. The second connects to PostgreSQL through a proxy. */
export interface TwoProcesses {
  database: TestDatabase
  origins: string[]
  /** Sends a request to the process with this index. Returns its response. */
  fetch(process: number, request: Sent): Promise<Received>
  /** Stops the notices to the second process, without an error on its connection. */
  silenceNotices(): void
  close(): Promise<void>
}

export interface Sent {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | FormData
}
export interface Received {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

export async function startTwoProcesses(env: Record<string, string> = {}): Promise<TwoProcesses> {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'imori-processes-'))
  const proxy = await startProxy(database.connection)
  const processes: MainProcess[] = []
  // The processes start one after the other, because the first one creates the secrets and the tables.
  for (const url of [toUrl(database.connection), proxy.url])
    processes.push(
      await startMain({
        IMORI_DATA: folder,
        DATABASE_URL: url,
        IMORI_SIGNUP: 'open',
        IMORI_LOG_LEVEL: 'error',
        ...env,
      }),
    )
  const pools = processes.map(({ url }) => new Pool(url, { connections: 4 }))
  return {
    database,
    origins: processes.map(({ url }) => url),
    async fetch(number, { method = 'GET', path, headers = {}, body }) {
      const pool = pools[number]
      if (!pool) throw new RangeError(`There is no process ${number}`)
      const answer = await pool.request({
        method: method as Dispatcher.HttpMethod,
        path,
        headers,
        body: body ?? null,
      })
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
    },
    silenceNotices: proxy.silenceNotices,
    async close() {
      await Promise.all(pools.map((pool) => pool.close()))
      await Promise.all(processes.map((main) => main.end()))
      await proxy.close()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a proxy for PostgreSQL, which may listen on a Unix socket. */
async function startProxy(to: string | Connection) {
  const url = new URL(toUrl(to))
  const host = decodeURIComponent(url.hostname)
  const port = Number(url.port || 5432)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server: Server = createServer((client) => {
    const upstream = host.startsWith('/')
      ? createConnection(`${host}/.s.PGSQL.${port}`)
      : createConnection(port, host)
    let isOfNotices = false
    client.once('data', (first) => {
      isOfNotices = first.includes('imori notices')
    })
    client.on('data', (bytes) => void upstream.write(bytes))
    upstream.on('data', (bytes) => {
      if (!(isSilent && isOfNotices)) client.write(bytes)
    })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  url.hostname = '127.0.0.1'
  url.port = String(typeof address === 'object' && address ? address.port : 0)
  return {
    url: url.href,
    silenceNotices: () => {
      isSilent = true
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}
