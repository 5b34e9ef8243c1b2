import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { appIconSchema, appPictureSchema, appSchema } from './apps.ts'
import { idSchema, nameSchema, successSchema, timeSchema, uidSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/** What apps can be made of, with its contents. */
const appTemplateSchema = z.object({
  /** `appTemplateId` of who makes an app of it. */
  _id: z.string(),
  /** The newest of an own one, which is meant unless another is named; null for one that comes with the program. */
  version: z.int().nullable(),
  /** What an app of it is called now unless somebody says otherwise. */
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  icon: appIconSchema.nullable(),
  cover: appPictureSchema.nullable(),
  models: z.array(z.object({ uid: z.string(), name: z.string(), documents: z.int() })),
})
export type AppTemplate = z.infer<typeof appTemplateSchema>

/** A version of an app's template. */
const versionSchema = z.object({
  /** Of the template, in all of its versions. */
  _id: idSchema,
  version: z.int(),
  name: z.string(),
  description: z.string(),
  /** Were documents saved, too? */
  documents: z.boolean(),
  /** Empty until it is saved. */
  models: z.array(z.object({ uid: z.string(), name: z.string(), documents: z.int() })),
  state: z.enum(['saving', 'saved', 'failed']),
  createdAt: timeSchema,
  createdBy: z.object({ _id: idSchema, name: z.string() }).nullable(),
})
export type AppTemplateVersion = z.infer<typeof versionSchema>

const versionsPath = '/api/project/{p}/app/{a}/template' as const

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
  deleteAppTemplate: endpoint('DELETE /api/project/{p}/appTemplate/{t}', {
    audit: { act: 'template.delete' },
    summary: 'Delete one of the space’s own templates in all its versions; apps that were made of it stay.',
    permission: 'space.update',
    response: successSchema,
  }),
  listTemplateVersions: endpoint(`GET ${versionsPath}`, {
    summary: 'What was saved of an app as a template, the newest version first.',
    permission: 'app.manage',
    response: z.object({ templates: z.array(versionSchema) }),
  }),
  saveTemplate: endpoint(`POST ${versionsPath}`, {
    idempotent: true,
    audit: { act: 'template.save', of: 'template', shows: ['name', 'version', 'documents'] },
    summary:
      'Save an app as the next version of its template, with its documents and the files that they use or without. It is ' +
      'ready when its `state` is `saved`; whoever may make apps in the space can use it then, also when the app is gone.',
    permission: 'app.manage',
    body: z.strictObject({
      data: z.strictObject({
        name: nameSchema,
        description: storableText(1000).default(''),
        documents: z.boolean().default(true),
      }),
    }),
    response: z.object({ template: versionSchema }),
  }),
  getTemplateVersion: endpoint(`GET ${versionsPath}/{version}`, {
    summary: 'A version of an app’s template.',
    permission: 'app.manage',
    response: z.object({ template: versionSchema }),
  }),
  deleteTemplateVersion: endpoint(`DELETE ${versionsPath}/{version}`, {
    audit: { act: 'template.delete' },
    summary: 'Delete a version of an app’s template; apps that were made of it stay.',
    permission: 'app.manage',
    response: successSchema,
  }),
  deleteTemplate: endpoint(`DELETE ${versionsPath}`, {
    audit: { act: 'template.delete' },
    summary: 'Delete an app’s template in all its versions; apps that were made of it stay.',
    permission: 'app.manage',
    response: successSchema,
  }),
}
