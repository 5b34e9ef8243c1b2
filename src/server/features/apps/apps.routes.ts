import type { AppRow } from '#server/access/context.ts'
import { createSampleBlog } from '#server/features/sample/sample.service.ts'
import { implement } from '#server/http/endpoints.ts'
import { appEndpoints } from '#shared/contract/apps.ts'
import { success } from '#shared/contract/common.ts'
import * as apps from './apps.service.ts'

const present = ({ visibility, defaultRole, ...app }: AppRow) => ({
  ...app,
  accessSettings: { visibility, defaultRole },
})

export const appRoutes = implement(appEndpoints, {
  listApps: async (ctx) => ({ apps: (await apps.listApps(ctx)).map(present) }),
  createApp: async (ctx, { body }) => {
    const { app } = 'data' in body ? await apps.createApp(ctx, body.data) : await createSampleBlog(ctx)
    return { app: present(app) }
  },
  updateAppOrder: async (ctx, { body }) => ({
    apps: (await apps.updateAppOrder(ctx, body.appIds)).map(present),
  }),
  getApp: ({ app }) => ({ app: present(app) }),
  updateApp: async (ctx, { body }) => ({ app: present(await apps.updateApp(ctx, body.data)) }),
  updateAppAccess: async (ctx, { body }) => ({
    app: present(await apps.updateAppAccess(ctx, body.accessSettings)),
  }),
  deleteApp: async (ctx) => {
    await apps.deleteApp(ctx)
    return success
  },
})
