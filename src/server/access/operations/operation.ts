import type { KnownIndexes } from '#server/db/field-indexes.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import type { Language } from '#shared/languages.ts'
import { isAppRight, isSpaceRight } from '#shared/permissions.ts'
import type { KeyedTransactions, PublicContext, SpaceContext } from '../context.ts'

/** An operation: an endpoint of the contract with its handler. The types of its input and output are erased. */
export interface Operation {
  name: string
  endpoint: Endpoint
  handle(
    ctx: PublicContext | SpaceContext | KeyedTransactions<SpaceContext>,
    input: { params: Record<string, string>; query: unknown; headers: unknown; body: unknown },
    request: RequestInfo,
  ): unknown
}

/** The part of a request that a handler gets in addition to its input. Callers of every kind can provide it. */
export interface RequestInfo {
  /** The account's language. Before sign-in: the language that the browser prefers. */
  language: Language
  /** Everything after the `?`, undecoded. */
  queryString: string
  ifMatch: string | undefined
  /** The known field indexes that lists can use. Undefined: indexes are not tracked. */
  fieldIndexes: KnownIndexes | undefined
  /** Aborted when the caller no longer waits, or when the endpoint's time limit is over. */
  signal: AbortSignal
}

/** Returns whether the endpoint requires a right in a space. */
export const isOfSpace = ({ permission }: Pick<Endpoint, 'permission'>) =>
  isSpaceRight(permission) || isAppRight(permission)
