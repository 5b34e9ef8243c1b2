import type {
  BodyInputOf,
  Endpoint,
  ParametersOf,
  QueryInputOf,
  ResponseOf,
} from '#shared/contract/endpoint.ts'
import type { Caller } from '../caller.ts'
import type { ServerContext } from '../context.ts'
import { execute } from './execute.ts'
import type { Operation } from './operation.ts'

interface ContractInput<E extends Endpoint> {
  params: ParametersOf<E>
  query?: QueryInputOf<E>
  body?: BodyInputOf<E>
}

/** Executes the operation of an endpoint, found by its value in the contract, and returns its answer. */
export type ContractCall = <E extends Endpoint>(
  endpoint: E,
  input: ContractInput<E>,
) => Promise<ResponseOf<E>>

/**
 * Returns the function by which code without a request executes operations as this caller. `signal`: aborted when the
 * caller no longer waits.
 */
export function contractCalls(
  server: ServerContext,
  operations: readonly Operation[],
  caller: Caller,
  signal: AbortSignal,
): ContractCall {
  return async (endpoint, { params, query, body }) => {
    const operation = operations.find((one) => one.endpoint === endpoint)
    if (!operation) throw new TypeError(`${endpoint.route} is not implemented here`)
    const answer = await execute(server, operation, {
      recognise: () => caller,
      origin: caller.origin,
      params,
      query: query ?? {},
      body: () => body,
      request: { language: 'ja', queryString: '', ifMatch: undefined, fieldIndexes: undefined, signal },
    })
    // The response schema of the endpoint has parsed the answer.
    return answer as never
  }
}
