import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { installationEndpoints } from '#shared/contract/installation.ts'
import * as installation from './installation.service.ts'

export const installationRoutes = implement(installationEndpoints, {
  listAllSpaces: (ctx, { query }) => installation.listSpaces(ctx, query),
  listAllAccounts: (ctx, { query }) => installation.listAccounts(ctx, query),
  getInstallationSettings: async (ctx) => ({ settings: await installation.readSettings(ctx) }),
  updateInstallationSettings: async (ctx, { body }) => ({
    settings: await installation.updateSettings(ctx, body.data),
  }),
  listKeptMails: async (ctx) => {
    const { isSent, mails, troubles } = await installation.listMails(ctx)
    return { isSent, troubles, mails: mails.map(({ id, ...mail }) => ({ _id: id, ...mail })) }
  },
  sendTestMail: (ctx) => installation.testMail(ctx),
  deleteKeptMail: async (ctx, { params }) => {
    await installation.deleteMail(ctx, params.id)
    return success
  },
})
