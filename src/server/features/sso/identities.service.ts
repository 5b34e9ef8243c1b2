import { noteAudit } from '#server/access/audit.ts'
import type { AccountContext, SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { inTransaction } from '#server/db/scope.ts'
import { requireOwn } from '#server/features/accounts/accounts.service.ts'
import { requireMember } from '#server/features/members/members.service.ts'
import { requireCommand } from '#server/features/roles/roles.service.ts'
import type { MemberIdentities, OwnSsoIdentity } from '#shared/contract/sso.ts'
import { AppError } from '#shared/errors.ts'
import * as rows from './identities.repository.ts'

/*
 * The identities of users at the identity provider and in the directory of a space. An identity in the directory can
 * only be ended by SCIM. A link to the identity provider can be ended here, but a later sign-in can create it again.
 */

/** Returns the identities of a member. Throws 404 for an unknown member. */
export async function memberIdentities(ctx: SpaceContext, memberId: string): Promise<MemberIdentities> {
  const { accountId } = await requireMember(ctx, memberId)
  const sso = await rows.findIdentityOf(ctx.db, ctx.scope, accountId)
  return {
    sso: sso && presentIdentity(sso),
    scim: await rows.findDirectoryUser(ctx.db, ctx.scope, memberId),
  }
}

/**
 * Unlinks a member from the identity provider. Throws 404 for an unknown or unlinked member, and `InvalidRoleChange`
 * for a member whose role the caller may not assign.
 */
export async function unlinkMember(ctx: SpaceContext, memberId: string): Promise<void> {
  await lockSpace(ctx, 'member.manage')
  const { accountId, name, email, role } = await requireMember(ctx, memberId)
  await requireCommand(ctx, 'project', role)
  const issuer = await rows.unlinkIdentity(ctx.db, ctx.scope, accountId)
  if (issuer === null) throw new AppError('NotFound')
  noteAudit(ctx, { objectName: name || email, facts: { issuer: issuer.slice(0, 200) } })
}

/** Returns the identities of the caller's account. Throws 404 for another account's id. */
export async function ownIdentities(ctx: AccountContext, accountId: string): Promise<OwnSsoIdentity[]> {
  requireOwn(ctx, accountId)
  const found = await rows.listIdentities(ctx.db, accountId)
  return found.map(({ id, spaceUid, spaceName, ...identity }) => ({
    _id: id,
    space: { uid: spaceUid, name: spaceName },
    ...presentIdentity(identity),
  }))
}

/**
 * Unlinks an identity of the caller. The contract does not admit sessions that were created by SSO alone, so callers
 * keep access to their account. Throws 404.
 */
export async function unlinkOwn(ctx: AccountContext, accountId: string, id: string): Promise<void> {
  requireOwn(ctx, accountId)
  await inTransaction(ctx.db, async (tx) => {
    const found = (await rows.listIdentities(tx, accountId)).find((identity) => identity.id === id)
    if (!found) throw new AppError('NotFound')
    await rows.unlinkIdentity(tx, found, accountId)
    noteAudit(ctx, { facts: { issuer: found.issuer.slice(0, 200) } })
  })
}

const presentIdentity = ({ issuer, subject, createdAt, lastUsedAt }: rows.IdentityView) => ({
  issuer,
  subject,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt.toISOString(),
})
