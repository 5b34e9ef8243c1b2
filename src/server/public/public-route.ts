import type { FastifyReply, FastifyRequest } from 'fastify'

/** A route for clients without a session. The URL or a token grants access. */
export interface PublicRoute {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /**
   * Maximum number of requests per minute from one IP address, per process. After a pause, all of them may be sent in a
   * burst.
   */
  perMinute: number
  /** Sends the response for errors, if its format differs from the management API. */
  sendError?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply
  /** Sends the response. The handler must limit the size of the body, which is a stream (`request.body`). */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}
