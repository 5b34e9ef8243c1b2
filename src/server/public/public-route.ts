import type { FastifyReply, FastifyRequest } from 'fastify'

/** A route for clients without a session. A client needs only the address, or a token. */
export interface PublicRoute {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** Maximum number of requests per minute from one IP address. */
  perMinute: number
  /** Origins whose pages may call the route, sent to browsers in CORS headers. Other programs are not affected. */
  origin: 'any' | 'own'
  /** Sends the response for errors, if its format differs from the management API. */
  sendError?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply
  /** Sends the response. The body of a request is a stream (`request.body`), whose size the handler must limit. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}
