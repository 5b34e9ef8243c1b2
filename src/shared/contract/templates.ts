import { z } from 'zod'
import { appIconSchema, appPictureSchema, appSchema } from './apps.ts'
import { idSchema, nameSchema, uidSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/** What apps can be made of, with its contents. */
const appTemplateSchema = z.object({
  /** `appTemplateId` of who makes an app of it. */
  _id: z.string(),
  name: z.string(),
  description: z.string(),
  icon: appIconSchema.nullable(),
  cover: appPictureSchema.nullable(),
  models: z.array(z.object({ uid: z.string(), name: z.string(), documents: z.int() })),
})
export type AppTemplate = z.infer<typeof appTemplateSchema>

export const templateEndpoints = {
  listAppTemplates: endpoint('GET /api/project/{p}/appTemplate', {
    summary: 'What apps can be made of, named in the caller’s language.',
    permission: 'app.create',
    response: z.object({ appTemplates: z.array(appTemplateSchema) }),
  }),
  getAppTemplateCover: endpoint('GET /api/project/{p}/appTemplate/{t}/cover', {
    summary: 'The picture of a template, `{t}` being its `_id`.',
    permission: 'app.create',
    transaction: 'own',
    response: { kind: 'file' },
  }),
  duplicateApp: endpoint('POST /api/project/{p}/app/{a}/duplicate', {
    idempotent: true,
    audit: { act: 'app.duplicate', of: 'app', shows: ['uid', 'name'] },
    summary:
      'Make an app like this one: models, custom field types, everybody’s views, roles of its own, and with `documents` its ' +
      'documents, which get new `_id`s and refer to each other; files of the library are shared. Members and tokens stay ' +
      'behind. The app is answered at once, its contents follow in `job`. Asks for the rights to look after the app and to read ' +
      'everything in it, too.',
    permission: 'app.create',
    body: z.strictObject({
      appName: nameSchema,
      /** Left out: the same with a number. */
      appUid: uidSchema('app').optional(),
      documents: z.boolean().default(true),
    }),
    response: z.object({
      app: appSchema,
      /** The job that brings the contents. */
      job: idSchema,
    }),
  }),
}
