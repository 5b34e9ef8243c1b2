import { lookAtLink, useLink } from '#server/access/account-links.ts'
import { accountOf, calledOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type {
  AccountContext,
  Browser,
  PublicContext,
  SpaceContext,
  TransactionContext,
} from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { removeFactors } from '#server/access/proven-address.ts'
import { deleteSessionsOf } from '#server/access/sessions.ts'
import { accountHasSecondFactor } from '#server/access/sign-in-challenges.ts'
import { inTransaction } from '#server/db/scope.ts'
import {
  findAccount,
  lockAccount,
  requirePassword,
  requirePasswordOf,
} from '#server/features/accounts/accounts.service.ts'
import { requireMember } from '#server/features/members/members.service.ts'
import { requireCommand } from '#server/features/roles/roles.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { tellReset } from './notices.ts'
import { mailFactorResetJob } from './resets.jobs.ts'
import { isInstallationAdmin } from './second-factor.repository.ts'

/*
 * Recovery from a lost second factor (docs/decisions/0092). An admin of a space can only request it: the member removes
 * the factor with a mailed link and their password, because the account also belongs to other spaces.
 */

/** Returns whether the account of a member has a second factor. Throws 404 for an unknown member. */
export async function memberFactor(ctx: SpaceContext, memberId: string): Promise<{ has: boolean }> {
  const { accountId } = await requireMember(ctx, memberId)
  return { has: await accountHasSecondFactor(ctx.db, accountId) }
}

/**
 * Mails a member a link to remove their second factor. Throws 404 for a member who is unknown or has none,
 * `InvalidRoleChange` for a member with more rights than the caller, and `Forbidden` for an admin of the installation.
 */
export async function askNewFactor(ctx: SpaceContext, memberId: string): Promise<void> {
  await lockSpace(ctx, 'member.manage')
  const { accountId, name, email, role } = await requireMember(ctx, memberId)
  noteAudit(ctx, { objectId: memberId, objectName: name || email })
  if (memberId !== ctx.grants.memberId) await requireCommand(ctx, 'project', role)
  if (!(await accountHasSecondFactor(ctx.db, accountId))) throw new AppError('NotFound')
  // An admin of the installation has more rights than any role of a space. Only admins of the installation and the
  // operator may reset the second factor of such an account.
  if (await isInstallationAdmin(ctx.db, accountId)) throw new AppError('Forbidden')
  const payload = {
    accountId,
    asker: ctx.actor.kind === 'account' ? calledOf(ctx.actor) : ctx.actor.name,
    space: ctx.space.name,
  }
  const requestedBy = accountOf(ctx.actor)
  await enqueue(ctx.db, mailFactorResetJob, payload, { scope: ctx.scope, requestedBy })
}

/**
 * Removes the second factor of the account, with a mailed link and the password. Does not sign in. Throws
 * `LinkIsNotValid`, `IncorrectPassword`, `TooManyRequests`.
 */
export async function resetByLink(
  ctx: PublicContext,
  { token, password }: { token: string; password: string },
  browser: Browser,
): Promise<void> {
  const { db } = ctx
  const open = await lookAtLink(db, token, ['resetFactor'])
  if (!open) throw new AppError('LinkIsNotValid')
  noteAudit(ctx, { objectId: open.accountId, objectName: open.email })
  await requirePasswordOf(ctx, open.accountId, password, browser)
  await inTransaction(db, async (tx) => {
    const link = await useLink(tx, token, ['resetFactor'])
    await lockAccount(tx, open.accountId)
    const found = await findAccount(tx, open.accountId)
    // The link is invalid once the account has another address.
    if (!link || found?.emailKey !== link.emailKey) throw new AppError('LinkIsNotValid')
    await reset({ ...ctx, db: tx }, open.accountId, { by: 'owner', who: '' })
  })
}

/**
 * Removes the second factor of an account at the request of an admin of the installation, with the admin's own
 * password. Throws 404 for an account without a second factor, `IncorrectPassword`, `TooManyRequests`.
 */
export async function resetByAdmin(
  ctx: AccountContext,
  accountId: string,
  password: string,
  browser: Browser,
): Promise<void> {
  await requirePassword(ctx, password, browser)
  const found = idPattern.test(accountId) ? await findAccount(ctx.db, accountId) : null
  if (!found) throw new AppError('NotFound')
  const { name, email } = found.account
  noteAudit(ctx, { objectId: accountId, objectName: name || email })
  await inTransaction(ctx.db, async (tx) => {
    await lockAccount(tx, accountId)
    await reset({ ...ctx, db: tx }, accountId, { by: 'admin', who: calledOf(ctx.actor) })
  })
}

/**
 * Removes the second factor of an account at the request of the operator. Returns false if the account has no second
 * factor.
 */
export async function resetByOperator(ctx: TransactionContext, accountId: string): Promise<boolean> {
  const { db: tx } = ctx
  await lockAccount(tx, accountId)
  if (!(await accountHasSecondFactor(tx, accountId))) return false
  await reset(ctx, accountId, { by: 'operator', who: '' })
  return true
}

async function reset(
  ctx: TransactionContext,
  accountId: string,
  by: Parameters<typeof tellReset>[2],
): Promise<void> {
  if (!(await removeFactors(ctx.db, accountId))) throw new AppError('NotFound')
  await deleteSessionsOf(ctx.db, accountId)
  await tellReset(ctx, accountId, by)
}
