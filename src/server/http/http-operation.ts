import type { IncomingHttpHeaders } from 'node:http'
import type { CallOrigin } from '#server/access/call-origin.ts'
import type { Caller } from '#server/access/caller.ts'
import type { ServerContext } from '#server/access/context.ts'
import type { Operation } from '#server/access/operations/operation.ts'
import type { AppError } from '#shared/errors.ts'

/**
 * Returns a stored list of origins for these path parameters. The list is empty if there is no such object. null: pages
 * of every origin are allowed.
 */
export type ListOrigins = (
  server: ServerContext,
  params: Record<string, string>,
) => Promise<readonly string[] | null>

/** A response for an error, in the format of a protocol. */
export interface ErrorMessage {
  status: number
  headers: Record<string, string>
  type: string
  /** An object is sent as JSON, and a text unchanged. */
  body: object | string
}

/** Presents an error of these request headers. `known`: the same error as the management API would send it. */
export type PresentError = (
  error: unknown,
  known: AppError,
  headers: IncomingHttpHeaders,
) => ErrorMessage | null

/** A protocol of callers that have neither a session nor the error format of the management API. */
export interface Protocol {
  /**
   * Returns the caller, without a statement. Called before the body is read, and again for the execution. Throws 401 if
   * the request has no credentials of the protocol.
   */
  recognise(request: { authorization: string | undefined; origin: CallOrigin }): Caller
  /** null: the error is sent in the format of the management API. */
  presentError: PresentError
}

/** Errors of an endpoint for callers that accept another format than JSON, such as HTML. */
export type Presentation = Pick<Protocol, 'presentError'>

/** An operation with the parts that only requests need. */
export interface HttpOperation extends Operation {
  /** Returns the origins whose pages may call the operation. Required if the contract says `cors: 'listed'`. */
  origins?: ListOrigins
  /** Required if the contract names the caller `directory`. */
  protocol?: Protocol
  /** Presents the errors of an operation without a protocol. */
  presentError?: PresentError
}
