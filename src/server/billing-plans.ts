import type { QuotaKind } from '#shared/quotas.ts'

/** A billing plan, which the operator of the installation defines. */
export interface BillingPlan {
  name: string
  /** Maximum use by kind of quota. Omitted: no limit. */
  limits: Readonly<Partial<Record<QuotaKind, number>>>
}

/** The billing plans of an installation by key (`space.plan`). */
export type BillingPlans = ReadonlyMap<string, BillingPlan>

/** The plan of all spaces of an installation whose operator defines none. */
const communityPlan: BillingPlan = { name: 'Community', limits: {} }

export const communityPlans: BillingPlans = new Map([['community', communityPlan]])

/** Returns the plan with that key. A plan that is no longer defined has no limits, so that its spaces can be used. */
export function findPlan(plans: BillingPlans, key: string): BillingPlan {
  return plans.get(key) ?? { name: key, limits: {} }
}
