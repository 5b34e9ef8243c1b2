import { presentAccountIcon } from '#server/access/account.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { memberEndpoints } from '#shared/contract/members.ts'
import { appRights, can } from '#shared/permissions.ts'
import type { MemberRow } from './members.repository.ts'
import * as members from './members.service.ts'

const present = ({ id, role, iconId, ...member }: MemberRow) => ({
  ...member,
  _id: id,
  roleId: role,
  icon: presentAccountIcon(member.accountId, iconId),
})

export const memberRoutes = implement(memberEndpoints, {
  listMembers: async (ctx) => ({ members: (await members.listMembers(ctx)).map(present) }),
  updateMember: async (ctx, { params, body }) => ({
    member: present(await members.updateMember(ctx, params.id, body.roleId)),
  }),
  deleteMember: async (ctx, { params }) => {
    await members.deleteMember(ctx, params.id)
    return success
  },
  listRoles: async (ctx) => ({ roles: await members.listRoles(ctx, 'project') }),
  listAppRoles: async (ctx) => ({ roles: await members.listRoles(ctx, 'app') }),
  getCurrentAppRole: ({ grants }) => ({
    currentRole: { uid: grants.appRole, rights: appRights.filter((right) => can(grants, right)) },
  }),
  listAppMembers: async (ctx) => ({ members: (await members.listAppMembers(ctx)).map(present) }),
  addAppMember: async (ctx, { body }) => ({
    member: present(await members.addAppMember(ctx, body.email, body.roleId)),
  }),
  joinApp: async (ctx) => ({ member: present(await members.joinApp(ctx)) }),
  leaveApp: async (ctx) => {
    await members.leaveApp(ctx)
    return success
  },
  updateAppMember: async (ctx, { params, body }) => ({
    member: present(await members.updateAppMember(ctx, params.id, body.roleId)),
  }),
})
