import { createKeyring } from '#server/lib/keyring.ts'
import { bodySchema, formBody, responseOf } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { isAppRight, isSpaceRight } from '#shared/permissions.ts'
import { type Actor, keyOwnerOf } from '../actor.ts'
import type { CallOrigin } from '../call-origin.ts'
import type { Caller } from '../caller.ts'
import type {
  AccountContext,
  KeyedTransactions,
  PublicContext,
  ServerContext,
  SpaceContext,
} from '../context.ts'
import { enter } from '../enter.ts'
import { OperationTrail } from './audit-trail.ts'
import { once } from './idempotency.ts'
import { isOfSpace, type Operation, type RequestInfo } from './operation.ts'
import { parseInput } from './parse-input.ts'
import { limitTime, type TimeLimit } from './time-limit.ts'

/** How an operation is called. */
export interface OperationCall {
  /**
   * Returns the caller, after the checks of the layer that recognises it. null: the operation is public. Errors are
   * recorded like refusals by the operation itself.
   */
  recognise(): Caller | null
  /** null: the caller sends no request. */
  origin: CallOrigin | null
  params: Record<string, string>
  query: unknown
  /** The headers of the request, by their names in lower case. Undefined: the caller sends no request. */
  headers?: unknown
  /** Returns the body: a value that the schema will parse, or a stream. Called after the caller is admitted. */
  body(): unknown
  request: RequestInfo
  /**
   * The key under which the operation has its effect once, if its contract supports keys. `asked` identifies the
   * request, as plain JSON.
   */
  idempotency?: { key: string; asked: unknown } | undefined
}

/** The values that the steps of one execution share. */
interface Execution {
  server: ServerContext
  operation: Operation
  call: OperationCall
  caller: Caller | null
  audit: OperationTrail
  limit: TimeLimit
}

/**
 * Executes an operation for any kind of caller and returns its answer, as its response schema defines it: recognise the
 * caller → admit it (access/enter.ts) → idempotency key → parse the input → handler → audit entry → commit. Inside a
 * space, these are one transaction, unless the operation opens its own. Refusals that admins need to see are recorded.
 * Throws the errors of these steps.
 */
export async function execute(
  server: ServerContext,
  operation: Operation,
  call: OperationCall,
): Promise<unknown> {
  const { endpoint } = operation
  const audit = new OperationTrail({ endpoint, ...call })
  const limit = limitTime(endpoint.maximumSeconds, call.request.signal)
  try {
    const caller = call.recognise()
    audit.actor = caller?.actor ?? null
    const kind = endpoint.needsSession ? 'session' : endpoint.caller === 'directory' ? 'directory' : null
    if (kind !== null && caller?.kind !== kind) throw new AppError('Forbidden')
    const answer = await executorOf(operation)({ server, operation, call, caller, audit, limit })
    // No transaction has written the entry yet: the change was a single statement, or consisted of several
    // transactions.
    if (!audit.settled) await audit.writeDone(server.db, audit.scope, answer)
    // The time limit of a stream includes sending it.
    if (!['stream', 'file'].includes(responseOf(endpoint).kind)) limit.end()
    return answer
  } catch (error) {
    limit.end()
    // A refusal inside a larger transaction is rolled back with it.
    if (!server.db.isTransaction) await audit.writeRefusal(server.db, error)
    throw error
  }
}

function executorOf({ endpoint }: Operation): (execution: Execution) => Promise<unknown> {
  if (!isOfSpace(endpoint)) return executeOutside
  return endpoint.transaction === 'own' ? executeInParts : executeInSpace
}

/** Executes an operation outside of spaces: for everybody, or for a signed-in account. */
async function executeOutside(execution: Execution): Promise<unknown> {
  const { server, operation, call, caller, audit } = execution
  const { endpoint } = operation
  if (call.origin === null) throw new TypeError('an operation outside of spaces has an origin')
  const context: PublicContext = { ...server, origin: call.origin, audit }
  if (endpoint.permission === 'public') return handle(execution, context)
  if (!caller?.admitOutside) throw new AppError('Unauthorized')
  const signedIn: AccountContext = { ...context, actor: caller.admitOutside(endpoint) }
  return handle(execution, signedIn)
}

/** Executes an operation in one transaction, which contains the checks of the caller and the handler. */
async function executeInSpace(execution: Execution): Promise<unknown> {
  const { audit, call } = execution
  const answer = await inSpace(execution, (ctx) =>
    keyed(execution, ctx, call.idempotency?.asked, async () => {
      const answer = await handle(execution, ctx)
      await audit.writeDone(ctx.db, ctx.scope, answer)
      return answer
    }),
  )
  audit.settled = true
  return answer
}

/**
 * Executes an operation that opens its own transactions. The caller is admitted once before the handler runs, so that
 * no external work starts without access. Throws a `TypeError` in an open transaction of the caller.
 */
async function executeInParts(execution: Execution): Promise<unknown> {
  const { server, operation } = execution
  // The handler would wait for external work while the transaction keeps its locks.
  if (server.db.isTransaction)
    throw new TypeError(
      `${operation.endpoint.route} opens its own transactions, so it cannot join another one`,
    )
  const admitted = await inSpace(execution, async ({ scope, actor }) => ({ spaceId: scope.spaceId, actor }))
  return handle(execution, ownTransactions(execution, admitted))
}

async function handle(
  { operation: { endpoint, handle }, call, limit }: Execution,
  ctx: PublicContext | SpaceContext | KeyedTransactions<SpaceContext>,
): Promise<unknown> {
  const schema = bodySchema(endpoint) ?? formBody(endpoint)?.schema
  // Parsed only after the checks, so that callers without access learn nothing about the schema.
  const input = {
    params: call.params,
    query: endpoint.query ? parseInput(endpoint.query, call.query) : undefined,
    headers: endpoint.headers ? parseInput(endpoint.headers, call.headers ?? {}) : undefined,
    body: endpoint.body && (schema ? parseInput(schema, call.body()) : call.body()),
  }
  const request =
    endpoint.maximumSeconds === undefined ? call.request : { ...call.request, signal: limit.signal }
  const answered = await Promise.race([handle(ctx, input, request), limit.timeUp])
  const response = responseOf(endpoint)
  // Responses contain only the properties and headers that their schema defines.
  if (response.kind === 'json') return response.schema.parse(answered)
  if (response.kind === 'none' && response.headers)
    return { headers: response.headers.parse((answered as { headers: unknown }).headers) }
  return answered
}

function inSpace<T>(
  { server, operation, call, caller, audit }: Execution,
  work: (ctx: SpaceContext) => Promise<T>,
): Promise<T> {
  if (!caller) throw new AppError('Unauthorized')
  const { permission, also = [], unguarded = false } = operation.endpoint
  const right = isSpaceRight(permission) || isAppRight(permission) ? permission : null
  const place = { space: call.params.p ?? '', app: call.params.a, model: call.params.m }
  return enter(server, caller, place, right, work, { also, unguarded, audit })
}

/** Runs the work once per idempotency key, if the operation supports keys and the call has a key. */
function keyed<T>(
  { server, operation, call }: Execution,
  ctx: SpaceContext,
  asked: unknown,
  work: () => Promise<T>,
): Promise<T> {
  const { idempotent, answersSecret } = operation.endpoint
  if (idempotent !== true || !call.idempotency) return work()
  const ownerId = keyOwnerOf(ctx.actor)
  if (ownerId === null) throw new TypeError('an idempotency key belongs to an account or a token')
  const keyring = answersSecret ? createKeyring(server.services.secrets.encryptionKeys) : undefined
  return once(ctx, { key: call.idempotency.key, ownerId, asked, keyring }, work)
}

/**
 * Returns the context of a use-case that opens its own transactions. The audit entry is written in the transaction in
 * which the use-case has added notes, or in the transaction of `once`.
 */
function ownTransactions(
  execution: Execution,
  { spaceId, actor }: { spaceId: number; actor: Actor },
): KeyedTransactions<SpaceContext> {
  const { audit, server, call, caller, limit } = execution
  async function audited<T>(work: (ctx: SpaceContext, write: () => Promise<void>) => Promise<T>): Promise<T> {
    let wrote = false
    const result = await inSpace(execution, async (ctx) => {
      wrote = false
      return work(ctx, async () => {
        // The entry of a caller whose transactions are read-only is written at the end.
        if (audit.settled || caller?.readOnly) return
        await audit.writeDone(ctx.db, ctx.scope, undefined)
        wrote = true
      })
    })
    if (wrote) audit.settled = true
    return result
  }
  return {
    actor,
    services: server.services,
    spaceId,
    origin: call.origin,
    audit,
    signal: limit.signal,
    inSpace: (work) =>
      audited(async (ctx, write) => {
        const result = await work(ctx)
        if (audit.noted) await write()
        return result
      }),
    once: async (asked, change, read) => {
      const result = await audited(async (ctx, write) => {
        const changed = await keyed(execution, ctx, asked, async () => {
          const done = await change(ctx)
          await write()
          return done
        })
        return read(ctx, changed)
      })
      // A repeated request with the same key already had its effect and its entry.
      audit.settled = true
      return result
    },
  }
}
