import type { AppRow, SpaceRow } from '#server/access/context.ts'
import { createSampleBlog } from '#server/features/sample/sample.service.ts'
import { implement } from '#server/http/endpoints.ts'
import { incomingPlace } from '#server/http/incoming-place.ts'
import { presentAppIcon, presentAppImage } from '#shared/app-pictures.ts'
import { assetPath } from '#shared/asset-address.ts'
import { appEndpoints } from '#shared/contract/apps.ts'
import { success } from '#shared/contract/common.ts'
import * as apps from './apps.service.ts'

/** An app of this space as it is answered. */
function present({ uid }: Pick<SpaceRow, 'uid'>, { visibility, defaultRole, icon, cover, ...app }: AppRow) {
  const addressOf = (id: string, fileName: string) => assetPath(uid, id, fileName)
  return {
    ...app,
    icon: icon && presentAppIcon(icon, addressOf),
    cover: cover && presentAppImage(cover, addressOf),
    accessSettings: { visibility, defaultRole },
  }
}

export const appRoutes = implement(appEndpoints, {
  listApps: async (ctx) => ({ apps: (await apps.listApps(ctx)).map((app) => present(ctx.space, app)) }),
  createApp: async (ctx, { body }) => {
    const { app } = 'data' in body ? await apps.createApp(ctx, body.data) : await createSampleBlog(ctx)
    return { app: present(ctx.space, app) }
  },
  updateAppOrder: async (ctx, { body }) => ({
    apps: (await apps.updateAppOrder(ctx, body.appIds)).map((app) => present(ctx.space, app)),
  }),
  getApp: ({ space, app }) => ({ app: present(space, app) }),
  updateApp: async (ctx, { body }) => ({ app: present(ctx.space, await apps.updateApp(ctx, body.data)) }),
  uploadAppIcon: async (ctx, { body }, exchange) => {
    const { space, app } = await apps.uploadAppPicture(ctx, incomingPlace(exchange), 'icon', body)
    return { app: present(space, app) }
  },
  uploadAppCover: async (ctx, { body }, exchange) => {
    const { space, app } = await apps.uploadAppPicture(ctx, incomingPlace(exchange), 'cover', body)
    return { app: present(space, app) }
  },
  updateAppAccess: async (ctx, { body }) => ({
    app: present(ctx.space, await apps.updateAppAccess(ctx, body.accessSettings)),
  }),
  deleteApp: async (ctx) => {
    await apps.deleteApp(ctx)
    return success
  },
})
