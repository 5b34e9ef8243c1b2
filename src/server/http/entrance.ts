import type { AccountContext, AppContext, KeyedTransactions, SpaceContext } from '#server/access/context.ts'
import { markSeen } from '#server/access/membership.ts'
import { admitAs } from '#server/access/preview.ts'
import { enter } from '#server/access/remembered-membership.ts'
import { type Caller, checkSecurity } from '#server/access/security.ts'
import { inTransaction } from '#server/db/scope.ts'
import { hasState } from '#server/db/sql-states.ts'
import { AppError } from '#shared/errors.ts'
import { can, type Grants, isAppRight, isSpaceRight, type Permission } from '#shared/permissions.ts'
import type { CallTrail } from './audit-trail.ts'
import type { EndpointDeps } from './context.ts'

/* How a call of the management API comes into a space: in one transaction, or in those that its use-case opens. */

/** Who comes into a space, and from where. */
export type Entry = AccountContext & { audit: CallTrail; caller: Caller }

export type Keyed = <T>(ctx: SpaceContext, asked: unknown, work: () => Promise<T>) => Promise<T>

/**
 * A context whose use-case opens its transactions itself. The entry of the audit log is written in the one whose work has
 * noted something for it, or in the one that is done once for each key.
 */
export function ownTransactions(
  context: Entry,
  entrance: Entrance,
  keyed: Keyed,
  storages: EndpointDeps['storages'],
): KeyedTransactions<SpaceContext> {
  const { actor, audit } = context
  async function audited<T>(work: (ctx: SpaceContext, write: () => Promise<void>) => Promise<T>): Promise<T> {
    let wrote = false
    const result = await inSpace(context, entrance, async (ctx) => {
      wrote = false
      return work(ctx, async () => {
        if (audit.settled) return
        await audit.writeDone(ctx.db, ctx.scope, undefined)
        wrote = true
      })
    })
    if (wrote) audit.settled = true
    return result
  }
  return {
    actor,
    audit,
    storages,
    inSpace: (work) =>
      audited(async (ctx, write) => {
        const result = await work(ctx)
        if (audit.noted) await write()
        return result
      }),
    once: async (asked, change, read) => {
      const result = await audited(async (ctx, write) => {
        const changed = await keyed(ctx, asked, async () => {
          const done = await change(ctx)
          await write()
          return done
        })
        return read(ctx, changed)
      })
      // Asked again with its key, it has had its effect and its entry before.
      audit.settled = true
      return result
    },
  }
}

export interface Entrance {
  permission: Permission
  params: Record<string, string>
  /** The member whose rights count, if it is not the caller. */
  viewAs: string | undefined
}

/** One transaction around membership, policy and handler; the answer is sent after it has committed. */
export async function inSpace<T>(
  { db, actor, audit, caller }: Entry,
  { permission, params, viewAs }: Entrance,
  run: (ctx: SpaceContext) => Promise<T>,
): Promise<T> {
  const place = { space: params.p ?? '', app: params.a, model: params.m }
  const { answer, admitted } = await inTransaction(db, async (tx) => {
    const { security, ...admitted } =
      viewAs === undefined
        ? await enter(tx, actor.accountId, place)
        : await admitAs(tx, actor.accountId, place, viewAs)
    audit.scope = admitted.scope
    const entrant = { accountId: actor.accountId, spaceId: admitted.scope.spaceId }
    await checkSecurity(tx, entrant, security, caller)
    checkRight(admitted.grants, permission)
    const context: SpaceContext | AppContext = { db: tx, actor, audit, ...admitted }
    return { answer: await run(context), admitted }
  }).catch(whenOnlyReading)
  if (viewAs === undefined) await markSeen(db, admitted)
  return answer
}

/** For `.catch()`: what writes is refused to whoever only looks. */
function whenOnlyReading(error: unknown): never {
  throw hasState(error, 'readOnlySqlTransaction') ? new AppError('Forbidden', { cause: error }) : error
}

function checkRight(grants: Grants, permission: Permission): void {
  const allowed = (isSpaceRight(permission) || isAppRight(permission)) && can(grants, permission)
  if (!allowed) throw new AppError('Forbidden')
}
