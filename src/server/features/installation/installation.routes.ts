import { implement } from '#server/http/endpoints.ts'
import { success } from '#shared/contract/common.ts'
import { installationEndpoints } from '#shared/contract/installation.ts'
import * as installation from './installation.service.ts'

export const installationRoutes = implement(installationEndpoints, {
  getInstallationSettings: async (ctx, _input, { config }) => ({
    settings: await installation.readSettings(ctx, config),
  }),
  updateInstallationSettings: async (ctx, { body }, { config }) => ({
    settings: await installation.updateSettings(ctx, config, body.data),
  }),
  listKeptMails: async (ctx, _input, { config, secrets }) => {
    const { isSent, mails, troubles } = await installation.listMails(ctx, config, secrets)
    return { isSent, troubles, mails: mails.map(({ id, ...mail }) => ({ _id: id, ...mail })) }
  },
  sendTestMail: (ctx, _input, { config }) => installation.testMail(ctx, config),
  deleteKeptMail: async (ctx, { params }) => {
    await installation.deleteMail(ctx, params.id)
    return success
  },
})
