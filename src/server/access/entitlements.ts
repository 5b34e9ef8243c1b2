import { sql } from 'kysely'
import { findPlan } from '#server/billing-plans.ts'
import { compileOnce, type Placeholders } from '#server/db/compile-once.ts'
import { AppError } from '#shared/errors.ts'
import { type QuotaKind, quotaErrors } from '#shared/quotas.ts'
import type { SpaceContext } from './context.ts'

/*
 * Limits of the billing plan of a space (docs/decisions/0127). Use cases that add items call `requireQuota` in the
 * transaction of the addition. Deletions need no call, because the use is read from rows and their counters.
 */

/** The part of a context that quotas need. The transaction must have entered the space. */
export type QuotaContext = Pick<SpaceContext, 'db' | 'services' | 'scope'> & {
  space: Pick<SpaceContext['space'], 'plan'>
}

export interface Quota {
  limit: number
  /** Use that is committed, or was added by this transaction. Assets are counted when a transaction ends. */
  used: number
}

/**
 * Locks a quota against other additions until the transaction ends, and returns it. null: the plan of the space has no
 * limit, which takes no statement. Call it late, because other additions to the space wait.
 */
export async function lockQuota(
  { db, services, scope, space }: QuotaContext,
  kind: QuotaKind,
): Promise<Quota | null> {
  const limit = findPlan(services.plans, space.plan).limits[kind]
  if (limit === undefined) return null
  const [row] = await lockUse(db, { spaceId: scope.spaceId, kind })
  return { limit, used: row?.used ?? 0 }
}

const lockUse = compileOnce((db, { spaceId, kind }: Placeholders<{ spaceId: number; kind: QuotaKind }>) =>
  sql<{ used: number }>`SELECT lock_quota(${spaceId}, ${kind}) AS used`.compile(db),
)

/** Returns the error for an addition to an exhausted quota, with the limit and the use before the addition. */
export const quotaExceeded = (kind: QuotaKind, { limit, used }: Quota): AppError =>
  new AppError(quotaErrors[kind], {
    message: `${quotaErrors[kind]}: ${used} used, limit ${limit}`,
    details: { limit, used },
  })

/**
 * Reserves `count` units of a quota in the transaction that adds them. `pending`: units that the transaction has
 * reserved, but that are not counted in the database yet. Throws `…QuotaExceeded`.
 */
export async function requireQuota(
  ctx: QuotaContext,
  kind: QuotaKind,
  count = 1,
  pending = 0,
): Promise<void> {
  if (count <= 0) return
  const quota = await lockQuota(ctx, kind)
  if (!quota) return
  const used = quota.used + pending
  if (used + count > quota.limit) throw quotaExceeded(kind, { ...quota, used })
}
