import { presentMember } from '#server/features/members/members.service.ts'
import type { Exchange } from '#server/http/context.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { invitationEndpoints } from '#shared/contract/invitations.ts'
import * as accepting from './accepting.ts'
import * as invitations from './invitations.service.ts'

const present = ({
  id,
  role,
  appUid,
  appName,
  appRole,
  memberId,
  memberName,
  ssoProblem = null,
  ...rest
}: invitations.InvitationRow & Partial<invitations.ListedInvitation>) => ({
  ...rest,
  ssoProblem,
  _id: id,
  roleId: role,
  app: appUid === null ? null : { uid: appUid, name: appName ?? '' },
  appRoleId: appRole,
  invitedBy: { _id: memberId, name: memberName },
})

/**
 * Returns an issued invitation in the form of responses. The link of an invitation to an address is shown only if it is
 * not mailed, and only to callers who can read unsent mails. These are the admins of the installation, unless they
 * signed in by SSO alone. Otherwise the caller could use the link to prove the address.
 */
const presentIssued = (
  { isMailed, url, ...invitation }: invitations.Issued,
  { account, session }: Exchange,
) => {
  const readsKeptMails = account?.isAdmin === true && session?.ownMeans === true
  const isShown = invitation.email === null || (!isMailed && readsKeptMails)
  return { ...present(invitation), isMailed, url: isShown ? url : null }
}

export const invitationRoutes = implement(invitationEndpoints, {
  listInvitations: async (ctx) => {
    const { invitations: listed, ssoDomains } = await invitations.listInvitations(ctx)
    const unsentMails = await invitations.countUnsentMails(ctx)
    return { invitations: listed.map(present), ssoIsReady: ssoDomains.length > 0, ssoDomains, unsentMails }
  },
  createInvitation: async (ctx, { body }, exchange) => ({
    invitation: presentIssued(await invitations.createInvitation(ctx, body.invitation), exchange),
  }),
  renewInvitation: async (ctx, { params }, exchange) => ({
    invitation: presentIssued(await invitations.renewInvitation(ctx, params.id), exchange),
  }),
  revokeInvitation: async (ctx, { params }) => {
    await invitations.revokeInvitation(ctx, params.id)
    return success
  },
  listAppInvitations: async (ctx) => ({
    invitations: (await invitations.listInvitations(ctx)).invitations.map(present),
  }),
  addAppMember: async (ctx, { body }, exchange) => {
    const added = await invitations.addAppMember(ctx, body)
    return 'member' in added
      ? { member: presentMember(added.member, ctx), invitation: null }
      : { member: null, invitation: presentIssued(added.invitation, exchange) }
  },
  renewAppInvitation: async (ctx, { params }, exchange) => ({
    invitation: presentIssued(await invitations.renewInvitation(ctx, params.id), exchange),
  }),
  revokeAppInvitation: async (ctx, { params }) => {
    await invitations.revokeInvitation(ctx, params.id)
    return success
  },
  lookAtInvitation: async (ctx, { body }) => {
    const found = await accepting.lookAtInvitation(ctx, body.code)
    return {
      invitation: {
        space: { uid: found.spaceUid, name: found.spaceName },
        app: found.app && { uid: found.app.uid, name: found.app.name },
        invitedBy: found.inviter,
        email: found.email,
        roleId: found.role,
        roleName: found.roleName,
        appRoleId: found.appRole,
        appRoleName: found.appRoleName,
        bySso: found.bySso,
        expiresAt: found.expiresAt,
      },
    }
  },
  acceptInvitation: async (ctx, { body }, { session }) =>
    accepting.presentTaken(await accepting.acceptInvitation(ctx, body.code, session)),
})
