import { accountActor } from '#server/access/actor.ts'
import type {
  AccountContext,
  KeyedTransactions,
  PublicContext,
  SpaceContext,
} from '#server/access/context.ts'
import { enter, type SessionCaller } from '#server/access/enter.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import { AppError } from '#shared/errors.ts'
import { can, isAppRight, isSpaceRight } from '#shared/permissions.ts'
import { type Call, signedIn } from './call.ts'
import { once } from './idempotency.ts'
import { presentAnswer, readBody } from './payloads.ts'
import { parseInput } from './validation.ts'

/* Answers calls of the management API: outside of spaces, or inside a space through access/enter.ts. */

async function handled(
  { implementation: { endpoint, handle }, request, params, exchange, timeUp }: Call,
  ctx: PublicContext | SpaceContext | KeyedTransactions<SpaceContext>,
): Promise<unknown> {
  // Parsed only after the checks, so that callers without access learn nothing about the schema.
  const input = {
    params,
    query: endpoint.query ? parseInput(endpoint.query, request.query) : undefined,
    body: readBody(endpoint, request),
  }
  return presentAnswer(endpoint, await Promise.race([handle(ctx, input, exchange), timeUp]))
}

/** Answers a call of a visitor, or of a signed-in account outside of spaces. */
export function answerOutside(call: Call): Promise<unknown> {
  const { deps, origin, audit, exchange } = call
  const context = { db: deps.database.kysely, services: deps.services, origin, audit }
  if (call.implementation.endpoint.permission === 'public') return handled(call, context)
  const signedInContext: AccountContext = { ...context, actor: accountActor(signedIn(exchange).account) }
  return handled(call, signedInContext)
}

/** Answers a member's call in one transaction, which contains the checks of membership and right, and the handler. */
export async function answerInSpace(call: Call): Promise<unknown> {
  const { audit, request, exchange } = call
  const asked = [request.method, request.url, exchange.ifMatch ?? null, request.body]
  const answered = await inSpace(call, (ctx) =>
    keyed(call, ctx, asked, async () => {
      const body = await handled(call, ctx)
      await audit.writeDone(ctx.db, ctx.scope, body)
      return body
    }),
  )
  audit.settled = true
  return answered
}

/**
 * Answers a member's call whose use-case opens its own transactions. The caller is admitted once before the handler
 * runs, so that no external work starts without access.
 */
export async function answerInParts(call: Call): Promise<unknown> {
  const spaceId = await inSpace(call, async ({ scope }) => scope.spaceId)
  return handled(call, ownTransactions(call, spaceId))
}

function inSpace<T>(call: Call, work: (ctx: SpaceContext) => Promise<T>): Promise<T> {
  const { deps, params, exchange, origin, audit, viewAs } = call
  const { permission, also = [], unguarded = false } = call.implementation.endpoint
  const { account, session } = signedIn(exchange)
  const caller: SessionCaller = {
    kind: 'session',
    actor: accountActor(account),
    origin,
    session,
    unguarded,
    viewAs,
    audit,
  }
  const right = isSpaceRight(permission) || isAppRight(permission) ? permission : null
  const place = { space: params.p ?? '', app: params.a, model: params.m }
  return enter({ db: deps.database.kysely, services: deps.services }, caller, place, right, (ctx) => {
    if (!also.every((other) => can(ctx.grants, other))) throw new AppError('Forbidden')
    return work(ctx)
  })
}

/** Runs the work once per `Idempotency-Key`, if the endpoint supports keys and the request has a key. */
function keyed<T>(call: Call, ctx: SpaceContext, asked: unknown, work: () => Promise<T>): Promise<T> {
  const { implementation, request, deps, exchange } = call
  const { idempotent, answersSecret } = implementation.endpoint
  const key = idempotent === true ? request.headers['idempotency-key']?.toString() : undefined
  if (key === undefined) return work()
  const keyring = answersSecret ? createKeyring(deps.services.secrets.encryptionKeys) : undefined
  return once(ctx, { key, accountId: signedIn(exchange).account.id, asked, keyring }, work)
}

/**
 * Returns the context of a use-case that opens its own transactions. The audit entry is written in the transaction in
 * which the use-case has added notes, or in the transaction of `once`.
 */
function ownTransactions(call: Call, spaceId: number): KeyedTransactions<SpaceContext> {
  const { audit, deps, origin, exchange, viewAs } = call
  async function audited<T>(work: (ctx: SpaceContext, write: () => Promise<void>) => Promise<T>): Promise<T> {
    let wrote = false
    const result = await inSpace(call, async (ctx) => {
      wrote = false
      return work(ctx, async () => {
        // The transaction of a preview is read-only, so its entry is written afterwards (endpoints.ts).
        if (audit.settled || viewAs !== undefined) return
        await audit.writeDone(ctx.db, ctx.scope, undefined)
        wrote = true
      })
    })
    if (wrote) audit.settled = true
    return result
  }
  return {
    actor: accountActor(signedIn(exchange).account),
    services: deps.services,
    spaceId,
    origin,
    audit,
    signal: exchange.signal,
    inSpace: (work) =>
      audited(async (ctx, write) => {
        const result = await work(ctx)
        if (audit.noted) await write()
        return result
      }),
    once: async (asked, change, read) => {
      const result = await audited(async (ctx, write) => {
        const changed = await keyed(call, ctx, asked, async () => {
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
