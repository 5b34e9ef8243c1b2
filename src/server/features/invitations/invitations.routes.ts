import { presentMember } from '#server/features/members/members.service.ts'
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
const presentIssued = (invitation: invitations.Issued) => ({ ...present(invitation), url: invitation.url })

export const invitationRoutes = implement(invitationEndpoints, {
  listInvitations: async (ctx) => {
    const { invitations: listed, ssoDomains } = await invitations.listInvitations(ctx)
    return { invitations: listed.map(present), ssoIsReady: ssoDomains.length > 0, ssoDomains }
  },
  createInvitation: async (ctx, { body }) => ({
    invitation: presentIssued(await invitations.createInvitation(ctx, body.invitation)),
  }),
  renewInvitation: async (ctx, { params }) => ({
    invitation: presentIssued(await invitations.renewInvitation(ctx, params.id)),
  }),
  revokeInvitation: async (ctx, { params }) => {
    await invitations.revokeInvitation(ctx, params.id)
    return success
  },
  listAppInvitations: async (ctx) => ({
    invitations: (await invitations.listInvitations(ctx)).invitations.map(present),
  }),
  addAppMember: async (ctx, { body }) => {
    const added = await invitations.addAppMember(ctx, body)
    return 'member' in added
      ? { member: presentMember(added.member, ctx), invitation: null }
      : { member: null, invitation: present(added.invitation) }
  },
  renewAppInvitation: async (ctx, { params }) => ({
    invitation: presentIssued(await invitations.renewInvitation(ctx, params.id)),
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
