import { presentApp } from '#server/features/apps/apps.service.ts'
import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { templateEndpoints } from '#shared/contract/templates.ts'
import * as own from './own-templates.service.ts'
import * as updates from './template-updates.service.ts'
import * as undo from './template-updates.undo.ts'
import * as templates from './templates.service.ts'

export const templateRoutes = implement(templateEndpoints, {
  listAppTemplates: async (ctx) => ({ appTemplates: await templates.listTemplates(ctx) }),
  getAppTemplateCover: (ctx, { params }) => templates.readCover(ctx, params.t),
  duplicateApp: async (ctx, { body }) => {
    const { app, job } = await templates.duplicateApp(ctx, body)
    return { app: presentApp(app.space, app.app), job }
  },
  deleteAppTemplate: async (ctx, { params }) => {
    await own.deleteOwnTemplate(ctx, params.t)
    return success
  },
  listTemplateVersions: async (ctx) => ({ templates: await own.listVersions(ctx) }),
  saveTemplate: async (ctx, { body }) => ({ template: await own.saveTemplate(ctx, body.data) }),
  getTemplateVersion: async (ctx, { params }) => ({ template: await own.getVersion(ctx, params.version) }),
  deleteTemplateVersion: async (ctx, { params }) => {
    await own.deleteVersion(ctx, params.version)
    return success
  },
  deleteTemplate: async (ctx) => {
    await own.deleteVersions(ctx)
    return success
  },
  getTemplateUpdate: (ctx) => updates.getTemplateUpdate(ctx),
  applyTemplateUpdate: (ctx, { body: { acceptLoss = false, dryRun = false, ...body } }) =>
    updates.applyTemplateUpdate(ctx, { ...body, acceptLoss, dryRun }),
  undoTemplateUpdate: (ctx, { body: { acceptLoss = false, dryRun = false } }) =>
    undo.undoTemplateUpdate(ctx, { acceptLoss, dryRun }),
  acceptTemplateUpdate: async (ctx) => {
    await undo.acceptTemplateUpdate(ctx)
    return success
  },
})
