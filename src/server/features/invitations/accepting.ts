import { type AccountActor, calledOf } from '#server/access/actor.ts'
import { changesOf, noteAudit, writeAudit } from '#server/access/audit.ts'
import type { AccountContext, AppContext, PublicContext, SpaceContext } from '#server/access/context.ts'
import { findInvited } from '#server/access/invitation-codes.ts'
import { admit, holdSpace, lockSpace } from '#server/access/membership.ts'
import type { Session } from '#server/access/sessions.ts'
import { type Db, enterSpace, inTransaction, type SpaceScope, spaceScope, type Tx } from '#server/db/scope.ts'
import { confirmAddress, findAccount } from '#server/features/accounts/accounts.service.ts'
import {
  addSpaceMember,
  addToApp,
  becomeProvisioned,
  findMemberOfAccount,
} from '#server/features/members/members.service.ts'
import { requireGivable } from '#server/features/roles/roles.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { sha256 } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import * as invitations from './invitations.repository.ts'

/** Whoever has the code has the invitation: it is bound to that, never to an address that nobody has verified. */
async function findOpen(db: Db, code: string): Promise<invitations.FoundInvitation> {
  const found = await invitations.findByCode(db, sha256(code))
  // Who holds a code that was good once is told no more than who guesses.
  if (!found?.isOpen || found.appIsGone) throw new AppError('InvalidInvitationCode')
  return found
}

/** What the invitation is for. Throws `InvalidInvitationCode` for a code that is none, and for one that has ended. */
export async function lookAtInvitation(
  ctx: PublicContext,
  code: string,
): Promise<invitations.FoundInvitation> {
  return findOpen(ctx.db, code)
}

/**
 * Takes an invitation as whoever is signed in: they become a member of the space and of its app, or of the app alone if
 * they are in the space already. It is good for what who sent it may give at this moment, and once for each account. Throws `InvalidInvitationCode`,
 * `InvitedAccountAlreadyExists`, `SsoRequired`, `SsoNotSetUp`.
 */
export function acceptInvitation(ctx: AccountContext, code: string, session: Session): Promise<Taken> {
  const { actor } = ctx
  return inTransaction(ctx.db, async (tx) => {
    const inside = { ...ctx, db: tx }
    const found = await findAccount(tx, actor.accountId)
    const invited = await findInvited(tx, code)
    // The code came by mail to the account's own address.
    if (found && invited?.emailKey === found.emailKey) await confirmAddress(inside, found.account, session)
    const taken = await takeInvitation(inside, actor, code, null)
    // The space's log tells who came; nobody there sees another one.
    const { act, after, facts } = joining(taken)
    noteAudit(ctx, { act, objectId: taken.memberId, objectName: calledOf(actor), after, facts })
    await ctx.audit?.write(tx, taken.scope)
    return taken
  })
}

/** The same for an account that was made in this transaction, whose own entry is that of its sign-up. */
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

/** What the space's log says of who came by an invitation. */
const joining = ({ isNew, role, appRole, app }: Taken) => ({
  act: isNew ? ('member.joinSpace' as const) : ('member.join' as const),
  after: { ...(isNew ? { roleId: role } : {}), ...(appRole === null ? {} : { appRoleId: appRole }) },
  facts: { by: 'invitation', ...(app === null ? {} : { app }) },
})

/** Where an invitation led, as it is answered. */
export const presentTaken = ({ space, app }: Taken) => ({
  project: { uid: space },
  app: app === null ? null : { uid: app },
})

/** What came of an invitation. */
export interface Taken {
  scope: SpaceScope
  /** uids. */
  space: string
  app: string | null
  memberId: string
  /** They were no member before. */
  isNew: boolean
  role: string
  /** null: the app was not joined. */
  appRole: string | null
}

/**
 * The same in a transaction outside of any space, which is inside of the invitation's from then on. `sso`: the space whose
 * SSO says who the actor is; only so are invitations taken that ask for it (`SsoRequired`, or `SsoNotSetUp` while nobody can
 * sign in by it), and none into other spaces.
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
  if (found.provisioned !== null)
    return becomeMember(tx, scope, actor, { ...found, provisioned: found.provisioned })
  const inviter = { ...(await openAsInviter(tx, found)), services, origin }
  // In turn with those who change members and roles; who sent it must be able to give this still.
  await lockSpace(
    inviter,
    'app' in inviter && !can(inviter.grants, 'member.manage') ? 'app.manage' : 'member.manage',
  ).catch(whenNotGivable)
  await checkGiven(inviter, found)

  const ctx = { ...inviter, actor }
  let memberId = await findMemberOfAccount(tx, scope, actor.accountId)
  const isNew = memberId === null
  if (memberId === null) {
    memberId = await addSpaceMember(tx, scope, actor.accountId, found.role)
    await recordEvent(tx, scope, 'member.joined', { memberId, role: found.role }, { actor })
  }
  const joined = 'app' in ctx && found.appRole !== null ? await addToApp(ctx, memberId, found.appRole) : null
  if (!isNew && !joined) throw new AppError('InvitedAccountAlreadyExists')
  // Who comes by it a second time was taken out, or has left, since.
  if (!(await invitations.takeOnce(tx, scope, found.id, actor.accountId)))
    throw new AppError('InvalidInvitationCode')
  if (!(await invitations.takeUse(tx, scope, found.id))) throw new AppError('InvalidInvitationCode')
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

/** Somebody whom a directory has made a member comes, with which account is theirs to say. */
async function becomeMember(
  tx: Tx,
  scope: SpaceScope,
  actor: AccountActor,
  { id, provisioned, spaceUid, role }: invitations.FoundInvitation & { provisioned: string },
): Promise<Taken> {
  await holdSpace(tx, scope)
  if (!(await invitations.takeUse(tx, scope, id))) throw new AppError('InvalidInvitationCode')
  const memberId = await becomeProvisioned(tx, scope, provisioned, actor.accountId)
  if (memberId === null) throw new AppError('InvitedAccountAlreadyExists')
  await recordEvent(tx, scope, 'invitation.accepted', { invitationId: id }, { actor })
  return { scope, space: spaceUid, app: null, memberId, isNew: true, role, appRole: null }
}

/** The place of the invitation as who sent it is let into it. Throws `InvalidInvitationCode` for one who is not any more. */
async function openAsInviter(tx: Tx, found: invitations.FoundInvitation) {
  const row = await tx
    .selectFrom('space_member')
    .innerJoin('account', 'account.id', 'space_member.account_id')
    .select(['account.id', 'account.name', 'account.email', 'account.language'])
    .where('space_member.space_id', '=', found.spaceId)
    .where('space_member.id', '=', found.memberId)
    .executeTakeFirst()
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

/** May who sent it give these roles now, of the space by what they hold in the space, and of the app by what they hold there? */
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
