import type { FastifyReply, FastifyRequest } from 'fastify'

/** A public route: callable by anybody with the address, from any page, without a session. */
export interface PublicRoute {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** Maximum requests per minute from one IP address. */
  perMinute: number
  /** Origins whose pages may call it, sent to browsers in CORS headers. Programs are not affected. */
  origin: 'any' | 'own'
  /** Answers errors, where the format differs from the management API. */
  sendError?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply
  /** Sends the response itself. A body is a stream (`request.body`) whose size the handler must limit. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}
