import type { FastifyReply, FastifyRequest } from 'fastify'

/** Something that strangers may send us: anybody who has the address, from any page, without a session. */
export interface PublicRoute {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** Requests a minute from one address. */
  perMinute: number
  /** Whose pages may ask: browsers are told in the answer. Programs need not care. */
  origin: 'any' | 'own'
  /** How refusals are answered, where it is not as the management API does. */
  sendError?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply
  /** Answers by itself. A body comes as a stream (`request.body`) that the handler bounds. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}
