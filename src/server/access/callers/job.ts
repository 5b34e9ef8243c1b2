import type { SystemReason } from '#shared/audit.ts'
import { AppError } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import { accountOf, type JobActor, type SystemActor } from '../actor.ts'
import type { Admission, Caller, Entry } from '../caller.ts'
import { allGrants } from '../grants.ts'
import { findPlace } from '../membership.ts'
import { rememberedMembership } from '../remembered-membership.ts'

/** A job on behalf of an account, or the installation itself. */
export type JobCaller = Caller<JobActor | SystemActor>

/**
 * Returns the caller for a job on behalf of its requester, or of another account. It has the rights that the account
 * has when the job runs. `accountId` null: no account, so the job is refused. Throws `RequesterMayNot` if the account
 * may not enter or lacks the rights. With `otherwise`, the installation itself acts then, for this reason.
 */
export const onBehalf = (
  actor: JobActor,
  accountId: string | null = accountOf(actor),
  otherwise?: SystemReason,
): JobCaller => ({
  kind: 'onBehalf',
  actor,
  origin: null,
  withoutRight: 'RequesterMayNot',
  async admit(entry) {
    const admission = await admitOnBehalf(actor, accountId, entry)
    const isAllowed = admission && entry.rights.every((right) => can(admission.membership.grants, right))
    if (otherwise && !isAllowed) return asSystem(actor, otherwise).admit(entry)
    if (!admission) throw new AppError('RequesterMayNot')
    return admission
  },
})

/**
 * Returns the caller for the installation itself, with all rights. `name`: the job, event consumer or service that
 * acts. The audit log records the reason.
 */
export const asSystem = (
  { name, askedBy }: Pick<SystemActor, 'name' | 'askedBy'>,
  reason: SystemReason,
): JobCaller => ({
  kind: 'system',
  actor: { kind: 'system', name, reason, askedBy },
  origin: null,
  withoutRight: 'Forbidden',
  async admit({ tx, services, place }) {
    const membership = { ...(await findPlace(tx, place)), grants: allGrants }
    services.log.debug({ name, reason, ...membership.scope }, 'The system enters a space')
    return { actor: { kind: 'system', name, reason, askedBy }, membership }
  },
})

/** Returns null if the account may not enter. Throws 404 if the place no longer exists. */
async function admitOnBehalf(
  actor: JobActor,
  accountId: string | null,
  { tx, place }: Entry,
): Promise<Admission | null> {
  const found =
    accountId === null ? null : await rememberedMembership(tx, accountId, place).catch(nullIfNotFound)
  if (!found) {
    await findPlace(tx, place)
    return null
  }
  const { security, seen, ...membership } = found
  return { actor, membership }
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof AppError && error.code === 'NotFound') return null
  throw error
}
