import { z } from 'zod'
import { languages } from '../languages.ts'
import { signupModes } from '../sign-up.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

export const installationSettingsSchema = z.object({
  signup: z.enum(signupModes),
  /** The operator has set it in the environment: it cannot be changed here. */
  signupIsFixed: z.boolean(),
})
export type InstallationSettings = z.infer<typeof installationSettingsSchema>

/** A mail that could not be sent, because no mail server is set. */
export const keptMailSchema = z.object({
  _id: idSchema,
  to: z.string(),
  language: z.enum(languages),
  subject: z.string(),
  text: z.string(),
  createdAt: timeSchema,
})
export type KeptMail = z.infer<typeof keptMailSchema>

export const installationEndpoints = {
  getInstallationSettings: endpoint('GET /api/admin/settings', {
    summary: 'What holds for the whole installation.',
    permission: 'admin',
    response: z.object({ settings: installationSettingsSchema }),
  }),
  updateInstallationSettings: endpoint('PUT /api/admin/settings', {
    summary: 'Change who may sign up. `SettingIsFixed` where the operator has set it in the environment.',
    permission: 'admin',
    body: z.strictObject({ data: z.strictObject({ signup: z.enum(signupModes) }) }),
    response: z.object({ settings: installationSettingsSchema }),
  }),
  listKeptMails: endpoint('GET /api/admin/mails', {
    summary:
      'Mails that were not sent because no mail server is set, the newest first: at most 200, of seven days. With one set ' +
      '(`isSent`) there are none.',
    permission: 'admin',
    response: z.object({ isSent: z.boolean(), mails: z.array(keptMailSchema) }),
  }),
  deleteKeptMail: endpoint('DELETE /api/admin/mails/{id}', {
    summary: 'Take such a mail away.',
    permission: 'admin',
    response: successSchema,
  }),
}
