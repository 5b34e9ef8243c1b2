import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { appIconSchema, appPictureSchema, appSchema } from './apps.ts'
import { idSchema, nameSchema, successSchema, timeSchema, uidSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { modelLossSchema } from './models.ts'

/** A template from which apps are created, with its contents. */
const appTemplateSchema = z.object({
  /** The `appTemplateId` for creating an app. */
  _id: z.string(),
  /** The newest version of one of the space's own templates, which is used by default. null: a built-in template. */
  version: z.int().nullable(),
  /** The default uid of an app created from it. */
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  icon: appIconSchema.nullable(),
  cover: appPictureSchema.nullable(),
  models: z.array(z.object({ uid: z.string(), name: z.string(), documents: z.int() })),
  /** Whether the caller may delete the template. */
  deletable: z.boolean(),
})
export type AppTemplate = z.infer<typeof appTemplateSchema>

/** A version of an app's template. */
const versionSchema = z.object({
  /** `_id` of the template, the same in all versions. */
  _id: idSchema,
  version: z.int(),
  name: z.string(),
  description: z.string(),
  /** Whether the version includes documents. */
  documents: z.boolean(),
  /** Empty until the version is saved. */
  models: z.array(z.object({ uid: z.string(), name: z.string(), documents: z.int() })),
  state: z.enum(['saving', 'saved', 'failed']),
  createdAt: timeSchema,
  createdBy: z.object({ _id: idSchema, name: z.string() }).nullable(),
})
export type AppTemplateVersion = z.infer<typeof versionSchema>

/** A difference between an app and a newer version of its template. */
const updateItemSchema = z.object({
  /** Identifies the item in a choice. */
  key: z.string(),
  kind: z.enum(['model', 'field', 'customType', 'customTypeField', 'view']),
  /** The model or custom type that contains the item. null: the item is itself a model or custom type. */
  owner: z.object({ uid: z.string(), name: z.string() }).nullable(),
  /** uid of the item, for example of a model or field. Empty for a view. */
  uid: z.string(),
  /** Name in the newer version. The previous name if the newer version no longer has the item. */
  name: z.string(),
  /** The change in the newer version. */
  change: z.enum(['added', 'changed', 'gone']),
  /** `same`: the item is as the template created it. `changed`: it was changed in the app. */
  here: z.enum(['same', 'changed']),
  /** Types of a field in the app and in the newer version. null: the field is not in both. */
  types: z.object({ from: z.string(), to: z.string() }).nullable(),
  /** Settings that differ. Empty unless the item is in the app and in the newer version. */
  settings: z.array(z.string()),
  /** Number of sample documents of an added model. */
  documents: z.int(),
  /** The default action. `told`: for information only, there is no choice. */
  choice: z.enum(['take', 'keep', 'told']),
})
export type TemplateUpdateItem = z.infer<typeof updateItemSchema>

const templateUpdateSchema = z.object({
  /** The template that the app was created from. null: none, the template was deleted, or the caller may not use it. */
  template: z
    .object({
      _id: z.string(),
      name: z.string(),
      /** The version that the app follows, and the newest version. null for built-in templates. */
      version: z.int().nullable(),
      newest: z.int().nullable(),
    })
    .nullable(),
  /** The differences from the newest version. null: the app already follows it. */
  items: z.array(updateItemSchema).nullable(),
  /** The update that can be undone until `until`, unless it is accepted before. null: none. */
  undo: z.object({ at: timeSchema, until: timeSchema, version: z.int().nullable() }).nullable(),
})
export type TemplateUpdate = z.infer<typeof templateUpdateSchema>

/** The cost of an update, or of undoing it. */
const updateCostSchema = z.object({
  /** Lost data, as for changes of models. */
  losses: z.array(modelLossSchema.extend({ model: z.string() })),
  /** Models whose documents are converted, with the number of documents. */
  models: z.array(z.object({ uid: z.string(), documents: z.int() })),
  /** Models that are deleted with their documents. Only for undoing an update that added them. */
  removed: z.array(z.object({ uid: z.string(), name: z.string(), documents: z.int() })),
})
export type TemplateUpdateCost = z.infer<typeof updateCostSchema>

const updatePath = '/api/project/{p}/app/{a}/templateUpdate' as const

const versionsPath = '/api/project/{p}/app/{a}/template' as const

export const templateEndpoints = {
  listAppTemplates: endpoint('GET /api/project/{p}/appTemplate', {
    summary:
      'List the templates for new apps, named in the caller’s language. The space’s own templates are those of apps that the caller ' +
      'sees; if the app is deleted, only members who manage all apps, and the member who saved the newest version, see them.',
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
      /** Default: the uid of the original app with a number. */
      appUid: uidSchema('app').optional(),
      documents: z.boolean().default(true),
    }),
    response: z.object({
      app: appSchema,
      /** The job that adds the contents. */
      job: idSchema,
    }),
  }),
  deleteAppTemplate: endpoint('DELETE /api/project/{p}/appTemplate/{t}', {
    audit: { act: 'template.delete' },
    summary:
      'Delete one of the space’s own templates in all its versions; apps created from it stay. For the member who saved all of them, ' +
      'and members who manage the app they were saved from. 404 for callers who may not use the template.',
    permission: 'app.create',
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
      'ready when its `state` is `saved`; members who see the app and may create apps can then use it, drafts included.',
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
  getTemplateUpdate: endpoint(`GET ${updatePath}`, {
    summary:
      'The template that an app was made of, and what its newest version would change here, part by part. What somebody ' +
      'changed in the app too stays unless it is chosen, and so does what the template has no more. Contents are not touched.',
    permission: 'app.manage',
    response: templateUpdateSchema,
  }),
  applyTemplateUpdate: endpoint(`POST ${updatePath}`, {
    idempotent: { none: 'an app that follows the version has nothing to take of it' },
    audit: { act: 'app.templateUpdate' },
    summary:
      'Bring an app to the newest version of its template, as one act, which asks for the right to manage its models, too. `take` are the keys of what is taken of it; all else stays, and is ' +
      'not offered again until the template changes it. With `documents`, models that are added get their sample contents, by `job`. ' +
      'Losses answer 400 `ValidationFailed` with `losses` until it is sent again with `acceptLoss: true`. 409 `VersionConflict` ' +
      'when the newest version is not `version`.',
    permission: 'app.manage',
    transaction: 'own',
    body: z.strictObject({
      version: z.int().nullable(),
      take: z.array(z.string().max(200)).max(20_000),
      documents: z.boolean().default(false),
      acceptLoss: z.boolean().optional(),
      /** Returns losses without changing anything. */
      dryRun: z.boolean().optional(),
    }),
    response: updateCostSchema.extend({ job: idSchema.nullable() }),
  }),
  undoTemplateUpdate: endpoint(`POST ${updatePath}:undo`, {
    idempotent: { none: 'what was taken back is no update any more' },
    audit: { act: 'app.templateUndo' },
    summary:
      'Take the newest update back: what it made is as it was, documents hold what they held, and models that it added go with ' +
      'their documents. What somebody changed since stays. Losses, models with documents among them, are told first. 404 when ' +
      'there is none; 409 `ChangeCannotBeTakenBack` while documents still follow it.',
    permission: 'app.manage',
    transaction: 'own',
    body: z.strictObject({
      acceptLoss: z.boolean().optional(),
      /** Returns losses without changing anything. */
      dryRun: z.boolean().optional(),
    }),
    response: updateCostSchema,
  }),
  acceptTemplateUpdate: endpoint(`POST ${updatePath}:accept`, {
    idempotent: true,
    audit: { act: 'app.templateAccept' },
    summary: 'Let the newest update be: it cannot be taken back any more.',
    permission: 'app.manage',
    response: successSchema,
  }),
}
