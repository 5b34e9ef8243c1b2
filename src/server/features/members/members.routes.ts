import type { SpaceContext } from '#server/access/context.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { memberEndpoints } from '#shared/contract/members.ts'
import { type AppRight, appRights, type Right } from '#shared/permissions.ts'
import { memberRights } from './member-rights.ts'
import type { MemberRow } from './members.repository.ts'
import * as members from './members.service.ts'

/** Returns a page of members. `select`: comma-separated names of the properties to return; undefined: all. */
function presentPage(
  ctx: SpaceContext,
  { members: found, total, addresses }: { members: MemberRow[]; total: number; addresses: boolean },
  { select, skip, limit }: { select?: string | undefined; skip: number; limit: number },
) {
  const keys = select?.split(',').map((key) => key.trim())
  const shown = found.map((member) => {
    const whole = members.presentMember(member, ctx, addresses)
    return keys ? Object.fromEntries(Object.entries(whole).filter(([key]) => keys.includes(key))) : whole
  })
  return { members: shown, total, skip, limit }
}

const inApps = (rights: ReadonlySet<Right>): AppRight[] => appRights.filter((right) => rights.has(right))

export const memberRoutes = implement(memberEndpoints, {
  listMembers: async (ctx, { query }) => presentPage(ctx, await members.listMembers(ctx, query), query),
  getMemberRights: async (ctx, { params }) => {
    const { member, rights } = await memberRights(ctx, params.id)
    return { member: members.presentMember(member, ctx), rights }
  },
  updateMember: async (ctx, { params, body }) => ({
    member: members.presentMember(await members.updateMember(ctx, params.id, body.roleId), ctx),
  }),
  deleteMember: async (ctx, { params }) => {
    await members.deleteMember(ctx, params.id)
    return success
  },
  leaveSpace: async (ctx) => {
    await members.leaveSpace(ctx)
    return success
  },
  getCurrentAppRole: ({ grants }) => ({
    currentRole: {
      uid: grants.appRole,
      rights: inApps(grants.rights),
      models: Object.fromEntries(
        [...grants.models].map(([id, { rights, readOnly }]) => [
          id,
          { rights: inApps(rights), readOnly: [...readOnly] },
        ]),
      ),
      elsewhere: inApps(grants.elsewhere),
    },
  }),
  listAppMembers: async (ctx, { query }) => presentPage(ctx, await members.listAppMembers(ctx, query), query),
  listLeftMembers: async (ctx, { query }) => {
    const { members: left, total } = await members.listLeftMembers(ctx, query)
    const shown = left.map((member) => {
      const { createdAt: leftAt, ...person } = members.presentMember(member, ctx)
      return { ...person, leftAt }
    })
    return { members: shown, total, ...query }
  },
  joinApp: async (ctx) => ({ member: members.presentMember(await members.joinApp(ctx), ctx) }),
  leaveApp: async (ctx) => {
    await members.leaveApp(ctx)
    return success
  },
  updateAppMember: async (ctx, { params, body }) => ({
    member: members.presentMember(await members.updateAppMember(ctx, params.id, body.roleId), ctx),
  }),
  deleteAppMember: async (ctx, { params }) => {
    await members.deleteAppMember(ctx, params.id)
    return success
  },
})
