import type { IncomingMessage, Server } from 'node:http'

/** Time limits for request bodies. */
interface BodyTimes {
  /** Time limit for a whole body, in ms. */
  whole: number
  /** Window in ms. A slow body must deliver at least `bytes` in each window. */
  window: number
  bytes: number
}

const usual: BodyTimes = { whole: 30_000, window: 20_000, bytes: 16 * 1024 }

interface BodyTimer {
  timer: NodeJS.Timeout
  /** Replaces the timer for a slow upload. */
  slow(): void
  /** Replaces the timer for the rest of a refused body. */
  rest(): void
}

/** The timer of each request with a body. */
const timers = new WeakMap<IncomingMessage, BodyTimer>()

/**
 * Ends connections whose body takes longer than `times.whole` (30 seconds by default). Node's `requestTimeout` has the
 * same effect, but allows no exceptions. {@link allowSlowBody} lets an upload take longer as long as it makes progress.
 * Node limits the time for headers separately (`headersTimeout`).
 */
export function limitBodyTime(server: Server, times: BodyTimes = usual): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const { headers } = request
    if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return
    const cut = () => {
      if (request.complete || request.socket.destroyed) return
      const error = Object.assign(new Error('The body took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      // Emitted like Node's own error. The listener answers 408 and closes the connection.
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
    const rest = () => {
      clearTimeout(entry.timer)
      if (!request.complete && !request.destroyed) entry.timer = setTimeout(cut, times.whole)
    }
    const entry: BodyTimer = { timer: whole, slow, rest }
    timers.set(request, entry)
    request.once('close', () => clearTimeout(entry.timer))
  })
}

/** Lets the body of this request take longer than the time limit, as long as it makes progress. */
export function allowSlowBody(request: IncomingMessage): void {
  timers.get(request)?.slow()
}

/** Limits the time for the rest of a body that was refused, so that a client cannot send it without end. */
export function limitRest(request: IncomingMessage): void {
  timers.get(request)?.rest()
}
