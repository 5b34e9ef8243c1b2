import type { IncomingMessage, Server } from 'node:http'

/** Time limits for request bodies. */
interface BodyTimes {
  /** Milliseconds for a whole body. */
  whole: number
  /** A slow body must deliver at least `bytes` in each window of this many milliseconds. */
  window: number
  bytes: number
}

const usual: BodyTimes = { whole: 30_000, window: 20_000, bytes: 16 * 1024 }

/** The timers of bodies that are still arriving. */
const timers = new WeakMap<IncomingMessage, { timer: NodeJS.Timeout; slow(): void }>()

/**
 * Ends connections whose body takes longer than 30 seconds. Node's `requestTimeout` does the same, but allows no exceptions:
 * {@link allowSlowBody} lets an upload take longer as long as it makes progress.
 * Requests without a body have no overhead, and Node limits headers (`headersTimeout`).
 */
export function limitBodyTime(server: Server, times: BodyTimes = usual): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const { headers } = request
    if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return
    const cut = () => {
      if (request.complete || request.socket.destroyed) return
      const error = Object.assign(new Error('The body took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      // Emitted like Node's own error: the listener answers 408 and closes the connection.
      server.emit('clientError', error, request.socket)
    }
    const whole = setTimeout(cut, times.whole)
    const slow = () => {
      clearTimeout(entry.timer)
      let before = request.socket.bytesRead
      entry.timer = setInterval(() => {
        const now = request.socket.bytesRead
        if (now - before < times.bytes) cut()
        before = now
      }, times.window)
    }
    const entry: { timer: NodeJS.Timeout; slow(): void } = { timer: whole, slow }
    timers.set(request, entry)
    request.once('close', () => clearTimeout(entry.timer))
  })
}

/** From now on, the body may take as long as it makes progress. */
export function allowSlowBody(request: IncomingMessage): void {
  timers.get(request)?.slow()
}
