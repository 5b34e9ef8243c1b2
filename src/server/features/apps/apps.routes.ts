import { createFromTemplate } from '#server/features/templates/templates.service.ts'
import { implement } from '#server/http/endpoints.ts'
import { appEndpoints } from '#shared/contract/apps.ts'
import { success } from '#shared/contract/common.ts'
import * as apps from './apps.service.ts'

export const appRoutes = implement(appEndpoints, {
  listApps: async (ctx) => ({
    apps: (await apps.listApps(ctx)).map((app) => apps.presentApp(ctx.space, app)),
  }),
  createApp: async (ctx, { body }) => {
    if (!('appTemplateId' in body))
      return { app: apps.presentApp(ctx.space, (await apps.createApp(ctx, body.data)).app), job: null }
    const { app, job } = await createFromTemplate(ctx, body.appTemplateId, {
      ...body.data,
      version: body.appTemplateVersion,
    })
    return { app: apps.presentApp(ctx.space, app.app), job }
  },
  updateAppOrder: async (ctx, { body }) => ({
    apps: (await apps.updateAppOrder(ctx, body.appIds)).map((app) => apps.presentApp(ctx.space, app)),
  }),
  getApp: ({ space, app }) => ({ app: apps.presentApp(space, app) }),
  updateApp: async (ctx, { body }) => ({
    app: apps.presentApp(ctx.space, await apps.updateApp(ctx, body.data)),
  }),
  uploadAppIcon: async (ctx, { body }) => {
    const { space, app } = await apps.uploadAppPicture(ctx, 'icon', body)
    return { app: apps.presentApp(space, app) }
  },
  uploadAppCover: async (ctx, { body }) => {
    const { space, app } = await apps.uploadAppPicture(ctx, 'cover', body)
    return { app: apps.presentApp(space, app) }
  },
  updateAppAccess: async (ctx, { body }) => ({
    app: apps.presentApp(ctx.space, await apps.updateAppAccess(ctx, body.accessSettings)),
  }),
  emptyAppCache: async (ctx) => {
    await apps.emptyCache(ctx)
    return { app: apps.presentApp(ctx.space, ctx.app) }
  },
  deleteApp: async (ctx) => {
    await apps.deleteApp(ctx)
    return success
  },
})
