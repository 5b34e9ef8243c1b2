import pg from 'pg'
import type { Database } from '#server/db/connection.ts'
import { noticeChannel, readNotice, type Notice as SentNotice } from '#server/db/notices.ts'

/** `reset`: notices may have been missed, so caches must be cleared. */
export type Notice = SentNotice | { kind: 'reset' }

export interface Notices {
  subscribe(listener: (notice: Notice) => void): void
  close(): Promise<void>
}

const beatEvery = 700
/** Milliseconds without a reply after which the connection counts as lost. */
const liveFor = 2000
const reconnectAfter = 500

/**
 * Listens for notices on a dedicated connection, because a pool may close its connections. The connection is polled
 * regularly, because a network that silently drops packets raises no error.
 */
export function listenForNotices({ pool }: Pick<Database, 'pool'>): Notices {
  const listeners: ((notice: Notice) => void)[] = []
  let client: pg.Client | undefined
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const tell = (notice: Notice) => {
    for (const listener of listeners) listener(notice)
  }
  const later = (work: () => void, delay: number) => {
    if (closed) return
    timer = setTimeout(work, delay)
    timer.unref()
  }

  async function connect(): Promise<void> {
    const { password } = pool.options // not enumerable in `options`
    const next = new pg.Client({ ...pool.options, password, application_name: 'imori notices' })
    client = next
    next.on('error', () => {}) // the next poll detects the error
    next.on('notification', ({ payload }) => {
      const notice = readNotice(payload)
      if (notice) tell(notice)
    })
    try {
      await next.connect()
      await next.query(`LISTEN ${noticeChannel}`)
      tell({ kind: 'reset' })
      later(() => void beat(next), beatEvery)
    } catch {
      drop(next)
    }
  }

  async function beat(current: pg.Client): Promise<void> {
    const silence = setTimeout(() => drop(current), liveFor)
    silence.unref()
    try {
      await current.query('SELECT 1')
      if (client === current) later(() => void beat(current), beatEvery)
    } catch {
      drop(current)
    } finally {
      clearTimeout(silence)
    }
  }

  function drop(current: pg.Client): void {
    if (client !== current) return
    client = undefined
    current.end().catch(() => {})
    later(() => void connect(), reconnectAfter)
  }

  void connect()
  return {
    subscribe: (listener) => void listeners.push(listener),
    async close() {
      closed = true
      clearTimeout(timer)
      const last = client
      client = undefined
      await last?.end().catch(() => {})
    },
  }
}
