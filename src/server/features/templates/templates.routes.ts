import { presentApp } from '#server/features/apps/apps.service.ts'
import { implement } from '#server/http/endpoints.ts'
import { templateEndpoints } from '#shared/contract/templates.ts'
import * as templates from './templates.service.ts'

export const templateRoutes = implement(templateEndpoints, {
  listAppTemplates: async (ctx) => ({ appTemplates: templates.listTemplates(ctx) }),
  getAppTemplateCover: (_ctx, { params }) => templates.readCover(params.t),
  duplicateApp: async (ctx, { body }) => {
    const { app, job } = await templates.duplicateApp(ctx, body)
    return { app: presentApp(app.space, app.app), job }
  },
})
