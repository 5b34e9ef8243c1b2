import { type AccountActor, calledOf } from '#server/access/actor.ts'
import { changesOf, noteAudit, writeAudit } from '#server/access/audit.ts'
import type { AccountContext, AppContext, PublicContext, SpaceContext } from '#server/access/context.ts'
import { findInvited } from '#server/access/invitation-codes.ts'
import { rememberAs, whoHas } from '#server/access/known-as.ts'
import { admit, holdSpace, lockSpace } from '#server/access/membership.ts'
import type { Session } from '#server/access/sessions.ts'
import { type Db, enterSpace, inTransaction, type SpaceScope, spaceScope, type Tx } from '#server/db/scope.ts'
import { confirmAddress, findAccount } from '#server/features/accounts/accounts.service.ts'
import {
  addOtherToApp,
  addSpaceMember,
  becomeProvisioned,
  findMemberOfAccount,
  isRemovedSince,
} from '#server/features/members/members.service.ts'
import { requireGivable } from '#server/features/roles/roles.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { sha256 } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import * as invitations from './invitations.repository.ts'

/** The cause of an `InvalidInvitationCode` for an invitation that was used up, or that this account already used. */
export class InvitationIsUsed extends Error {
  constructor() {
    super('the invitation was used before')
  }
}

const isUsed = () => new AppError('InvalidInvitationCode', { cause: new InvitationIsUsed() })

/**
 * Returns the error for an account that was removed or left after the invitation was sent. The inviter could not know
 * of this when inviting.
 */
const isOlder = () =>
  new AppError('InvalidInvitationCode', { cause: new Error('the membership ended after the invitation') })

/**
 * Finds an open invitation. Throws `InvalidInvitationCode`. The code is the only requirement: the invited email address
 * is not compared with the account's address, which may be unverified.
 */
async function findOpen(db: Db, code: string): Promise<invitations.FoundInvitation> {
  const found = await invitations.findByCode(db, sha256(code))
  // A code that was valid once gets the same error as a wrong one. The audit log entry of a refused sign-in by SSO
  // contains the cause.
  if (found?.isUsed) throw isUsed()
  if (!found?.isOpen || found.appIsGone) throw new AppError('InvalidInvitationCode')
  return found
}

/** Returns the details of an invitation. Throws `InvalidInvitationCode` if it is unknown or has ended. */
export async function lookAtInvitation(
  ctx: PublicContext,
  code: string,
): Promise<invitations.FoundInvitation> {
  return findOpen(ctx.db, code)
}

/**
 * Accepts an invitation as the signed-in account, which joins the space and the invitation's app, if it has one.
 * Members of the space join only the app. The inviter must still be allowed to assign the roles. Each account can
 * accept once. A former member can only accept an invitation that was sent after the membership ended. These three
 * conditions do not apply to an invitation to claim a provisioned member. Throws `InvalidInvitationCode`,
 * `InvitedAccountAlreadyExists`, `SsoRequired`, `SsoNotSetUp`, `MemberQuotaExceeded`.
 */
export function acceptInvitation(ctx: AccountContext, code: string, session: Session): Promise<Taken> {
  const { actor } = ctx
  return inTransaction(ctx.db, async (tx) => {
    const inside = { ...ctx, db: tx }
    const found = await findAccount(tx, actor.accountId)
    const invited = await findInvited(tx, code)
    // An invitation that was mailed to the account's own email address verifies the address.
    if (found && invited?.emailKey === found.emailKey) await confirmAddress(inside, found.account, session)
    const taken = await takeInvitation(inside, actor, code, null)
    const { act, after, facts } = joining(taken)
    noteAudit(ctx, { act, objectId: taken.memberId, objectName: calledOf(actor), after, facts })
    await ctx.audit?.write(tx, taken.scope)
    return taken
  })
}

/**
 * Accepts an invitation for an account created in this transaction. The audit entry of the request itself is the
 * sign-up.
 */
export async function acceptAtSignUp(
  ctx: PublicContext & { db: Tx },
  actor: AccountActor,
  code: string,
): Promise<Taken> {
  const taken = await takeInvitation(ctx, actor, code, null)
  const { act, after, facts } = joining(taken)
  await writeAudit(ctx.db, taken.scope, {
    act,
    outcome: 'done',
    actor,
    ...ctx.origin,
    object: { kind: 'member', id: taken.memberId, name: calledOf(actor) },
    details: { changes: changesOf({}, after, ['roleId', 'appRoleId']), ...facts },
  })
  return taken
}

const joining = ({ isNew, role, appRole, app }: Taken) => ({
  act: isNew ? ('member.joinSpace' as const) : ('member.join' as const),
  after: { ...(isNew ? { roleId: role } : {}), ...(appRole === null ? {} : { appRoleId: appRole }) },
  facts: { by: 'invitation', ...(app === null ? {} : { app }) },
})

/** Returns the space and app of an accepted invitation, in the form of responses. */
export const presentTaken = ({ space, app }: Taken) => ({
  project: { uid: space },
  app: app === null ? null : { uid: app },
})

export interface Taken {
  scope: SpaceScope
  /** `space` and `app` are uids. */
  space: string
  app: string | null
  memberId: string
  /** Whether the account became a member of the space, or claimed a provisioned member. */
  isNew: boolean
  role: string
  /** null: the app was not joined. */
  appRole: string | null
}

/**
 * Accepts an invitation in a transaction outside any space, which then enters the invitation's space. `sso`: the id of
 * the space whose SSO authenticated the actor; null: none. Throws `InvalidInvitationCode` for an invitation of another
 * space than `sso`. Throws `SsoRequired` for an invitation that requires SSO if `sso` is null, or `SsoNotSetUp` while
 * SSO cannot be used.
 */
export async function takeInvitation(
  { db: tx, services, origin }: PublicContext & { db: Tx },
  actor: AccountActor,
  code: string,
  sso: number | null,
): Promise<Taken> {
  const found = await findOpen(tx, code)
  if (sso === null && found.bySso) throw new AppError(found.ssoIsSetUp ? 'SsoRequired' : 'SsoNotSetUp')
  if (sso !== null && found.spaceId !== sso) throw new AppError('InvalidInvitationCode')
  const scope = spaceScope(found.spaceId)
  await enterSpace(tx, scope)
  // A later removal of the account then also covers the invited email address.
  if (found.email !== null) await rememberAs(tx, actor.accountId, whoHas(found.email))
  if (found.provisioned !== null)
    return becomeMember(tx, scope, actor, { ...found, provisioned: found.provisioned })
  const inviter = { ...(await openAsInviter(tx, found)), services, origin }
  // The lock serialises this with changes of members and roles. The inviter must still be allowed to assign the roles.
  await lockSpace(
    inviter,
    'app' in inviter && !can(inviter.grants, 'member.manage') ? 'app.manage' : 'member.manage',
  ).catch(whenNotGivable)
  await checkGiven(inviter, found)

  const ctx = { ...inviter, actor }
  let memberId = await findMemberOfAccount(tx, scope, actor.accountId)
  const isNew = memberId === null
  if (memberId === null) {
    if (await isRemovedSince(tx, scope, actor.accountId, found.sentAt)) throw isOlder()
    memberId = await addSpaceMember(ctx, actor.accountId, found.role)
    await recordEvent(tx, scope, 'member.joined', { memberId, role: found.role }, { actor })
  }
  const joined =
    'app' in ctx && found.appRole !== null
      ? await addOtherToApp(ctx, memberId, found.appRole).catch(whenNotGivable)
      : null
  if (!isNew && !joined) throw new AppError('InvitedAccountAlreadyExists')
  // An account that accepts the invitation a second time has left or was removed after the first time.
  if (!(await invitations.takeOnce(tx, scope, found.id, actor.accountId))) throw isUsed()
  if (!(await invitations.takeUse(tx, scope, found.id))) throw isUsed()
  await recordEvent(tx, scope, 'invitation.accepted', { invitationId: found.id }, { actor })
  return {
    scope,
    space: found.spaceUid,
    app: found.app?.uid ?? null,
    memberId,
    isNew,
    role: found.role,
    appRole: joined === null ? null : found.appRole,
  }
}

/** Accepts an invitation to claim a member that a directory created, with the actor's account. */
async function becomeMember(
  tx: Tx,
  scope: SpaceScope,
  actor: AccountActor,
  { id, provisioned, spaceUid, role }: invitations.FoundInvitation & { provisioned: string },
): Promise<Taken> {
  await holdSpace(tx, scope)
  if (!(await invitations.takeUse(tx, scope, id))) throw isUsed()
  const memberId = await becomeProvisioned(tx, scope, provisioned, actor.accountId)
  if (memberId === null) throw new AppError('InvitedAccountAlreadyExists')
  await recordEvent(tx, scope, 'invitation.accepted', { invitationId: id }, { actor })
  return { scope, space: spaceUid, app: null, memberId, isNew: true, role, appRole: null }
}

/**
 * Opens the space or app with the inviter's grants. Throws `InvalidInvitationCode` if the inviter no longer has access.
 */
async function openAsInviter(tx: Tx, found: invitations.FoundInvitation) {
  const row = await invitations.findInviter(tx, found)
  if (!row) throw new AppError('InvalidInvitationCode')
  const place = { space: found.spaceUid, app: found.app?.uid }
  const admitted = await admit(tx, row.id, place).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'NotFound'
      ? new AppError('InvalidInvitationCode')
      : error
  })
  const actor = {
    kind: 'account' as const,
    accountId: row.id,
    name: row.name,
    email: row.email,
    language: row.language,
    isAdmin: false,
    source: 'admin' as const,
  }
  return { db: tx, actor, ...admitted }
}

async function checkGiven(
  inviter: SpaceContext | AppContext,
  { role, appRole }: invitations.FoundInvitation,
): Promise<void> {
  await requireGivable(inviter, 'project', role, 'roleId').catch(whenNotGivable)
  if ('app' in inviter && appRole !== null)
    await requireGivable(inviter, 'app', appRole, 'appRoleId').catch(whenNotGivable)
}

function whenNotGivable(error: unknown): never {
  throw error instanceof AppError ? new AppError('InvalidInvitationCode', { cause: error }) : error
}
