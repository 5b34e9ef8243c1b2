import type { FastifyReply } from 'fastify'

/**
 * Returns a signal that aborts when the caller disconnects before the response was sent. Fastify's `request.signal` is
 * not usable: on a real connection it ends as soon as the body has been read.
 */
export function signalOfCall({ raw }: FastifyReply): AbortSignal {
  const end = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) end.abort()
  })
  return end.signal
}
