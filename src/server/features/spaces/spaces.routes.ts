import { mayCreateSpaces } from '#server/access/space-creation.ts'
import { findPlan } from '#server/billing-plans.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { spaceEndpoints } from '#shared/contract/spaces.ts'
import { can, spaceRights } from '#shared/permissions.ts'
import * as spaces from './spaces.service.ts'

export const spaceRoutes = implement(spaceEndpoints, {
  listSpaces: async (ctx, _input, { session }) => ({
    projects: await spaces.listSpaces(ctx, session),
    // `createSpace` rejects sessions that were created by SSO only.
    mayCreateSpaces: session.ownMeans && (await mayCreateSpaces(ctx.db, ctx.services.config, ctx.actor)),
  }),
  createSpace: async (ctx, { body }) => ({ project: await spaces.createSpace(ctx, body) }),
  getSpace: ({ space, services }) => ({
    project: space,
    plan: { key: space.plan, name: findPlan(services.plans, space.plan).name },
  }),
  updateSpace: async (ctx, { body }) => ({ project: await spaces.updateSpace(ctx, body) }),
  deleteSpace: async (ctx) => {
    await spaces.deleteSpace(ctx)
    return success
  },
  getCurrentRole: ({ grants }) => ({
    currentRole: {
      uid: grants.projectRole,
      rights: spaceRights.filter((right) => can(grants, right)),
      held: [...grants.rights],
    },
  }),
})
