import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { appIconSchema, appPictureSchema, appSchema } from './apps.ts'
import { idSchema, nameSchema, successSchema, timeSchema, uidSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { modelLossSchema } from './models.ts'

const appTemplateSchema = z.object({
  /** Sent as `appTemplateId` to create an app. */
  _id: z.string(),
  /** For a template of the space: its newest version, which new apps use by default. null: a built-in template. */
  version: z.int().nullable(),
  /** The default uid of an app created from it. */
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  icon: appIconSchema.nullable(),
  cover: appPictureSchema.nullable(),
  models: z.array(z.object({ uid: z.string(), name: z.string(), documents: z.int() })),
  deletable: z.boolean(),
})
export type AppTemplate = z.infer<typeof appTemplateSchema>

const versionSchema = z.object({
  /** `_id` of the template, the same in all versions. */
  _id: idSchema,
  version: z.int(),
  name: z.string(),
  description: z.string(),
  documents: z.boolean(),
  /** The models with their number of documents. Empty until the version is saved. */
  models: z.array(z.object({ uid: z.string(), name: z.string(), documents: z.int() })),
  state: z.enum(['saving', 'saved', 'failed']),
  createdAt: timeSchema,
  createdBy: z.object({ _id: idSchema, name: z.string() }).nullable(),
})
export type AppTemplateVersion = z.infer<typeof versionSchema>

const updateItemSchema = z.object({
  key: z.string(),
  kind: z.enum(['model', 'field', 'customType', 'customTypeField', 'view']),
  /** The model or custom type that contains the item. null: the item is itself a model or custom type. */
  owner: z.object({ uid: z.string(), name: z.string() }).nullable(),
  /** uid of the item, for example of a model or field. Empty for a view. */
  uid: z.string(),
  /** Name in the newer version. The previous name if the newer version no longer has the item. */
  name: z.string(),
  change: z.enum(['added', 'changed', 'gone']),
  /** `same`: the item is as in the version that the app follows. `changed`: it was changed in the app. */
  here: z.enum(['same', 'changed']),
  /** Types of a field in the app and in the newer version. null: the field is not in both. */
  types: z.object({ from: z.string(), to: z.string() }).nullable(),
  /**
   * Names of the settings, other than the type, that differ between the app and the newer version. Empty unless both
   * have the item.
   */
  settings: z.array(z.string()),
  /** Number of sample documents of an added model. */
  documents: z.int(),
  /** The default action. `told`: the item is only listed, and cannot be chosen. */
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
  /** The differences from the newest version. null: the app already follows it, or there is no `template`. */
  items: z.array(updateItemSchema).nullable(),
  /** The update that can be undone until `until`, unless it is accepted before. null: none. */
  undo: z.object({ at: timeSchema, until: timeSchema, version: z.int().nullable() }).nullable(),
})
export type TemplateUpdate = z.infer<typeof templateUpdateSchema>

/** The cost of an update, or of undoing it. */
const updateCostSchema = z.object({
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
    summary: 'List the templates for new apps',
    description:
      "The space's own templates come first, newest first. They belong to apps that the caller can see. " +
      'If the app is deleted, only members who manage all apps, and the member who saved the newest ' +
      "version, see them. Names of built-in templates are in the caller's language.",
    permission: 'app.create',
    response: z.object({ appTemplates: z.array(appTemplateSchema) }),
  }),
  getAppTemplateCover: endpoint('GET /api/project/{p}/appTemplate/{t}/cover', {
    summary: 'Get the picture of a template by its `_id`',
    permission: 'app.create',
    transaction: 'own',
    response: { kind: 'file' },
  }),
  duplicateApp: endpoint('POST /api/project/{p}/app/{a}/duplicate', {
    idempotent: true,
    audit: { act: 'app.duplicate', of: 'app', shows: ['uid', 'name'] },
    summary: 'Duplicate an app',
    description:
      "Copies models, custom field types, shared views and the app's own roles. With `documents`, also " +
      'its documents, which get new `_id`s and refer to each other. Files of the library are shared. ' +
      'Members and tokens are not copied. The app is returned immediately; `job` creates its contents. ' +
      'Also requires the rights to manage the app and to read everything in it (403). 409 ' +
      '`AppUidIsAlreadyInUse` for an `appUid` in use.',
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
    summary: "Delete one of the space's own templates with all its versions",
    description:
      'Apps created from it stay. Allowed for the member who saved all versions, and for members who ' +
      'manage the app they were saved from; otherwise 403. 404 for callers who cannot use the template.',
    permission: 'app.create',
    response: successSchema,
  }),
  listTemplateVersions: endpoint(`GET ${versionsPath}`, {
    summary: 'List the versions saved of an app as a template, newest first',
    permission: 'app.manage',
    response: z.object({ templates: z.array(versionSchema) }),
  }),
  saveTemplate: endpoint(`POST ${versionsPath}`, {
    idempotent: true,
    audit: { act: 'template.save', of: 'template', shows: ['name', 'version', 'documents'] },
    summary: 'Save an app as the next version of its template',
    description:
      'Documents and the files that they use are saved only with `documents`. The version is ready when ' +
      '`state` is `saved`. Members who see the app and can create apps can then use it, drafts ' +
      'included. The caller must be able to read everything in the app (403). A template can have 100 ' +
      'versions.',
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
    summary: "Get a version of an app's template",
    permission: 'app.manage',
    response: z.object({ template: versionSchema }),
  }),
  deleteTemplateVersion: endpoint(`DELETE ${versionsPath}/{version}`, {
    audit: { act: 'template.delete' },
    summary: "Delete a version of an app's template",
    description: 'Apps created from it stay.',
    permission: 'app.manage',
    response: successSchema,
  }),
  deleteTemplate: endpoint(`DELETE ${versionsPath}`, {
    audit: { act: 'template.delete' },
    summary: "Delete an app's template with all its versions",
    description: 'Apps created from it stay.',
    permission: 'app.manage',
    response: successSchema,
  }),
  getTemplateUpdate: endpoint(`GET ${updatePath}`, {
    summary: "Preview the changes in the newest version of the app's template",
    description:
      'Lists the changes part by part. A part that was also changed in the app stays unless it is ' +
      'chosen, and so does a part that the template no longer has. Nothing is changed.',
    permission: 'app.manage',
    response: templateUpdateSchema,
  }),
  applyTemplateUpdate: endpoint(`POST ${updatePath}`, {
    idempotent: { none: 'an app that follows the version has nothing to take of it' },
    audit: { act: 'app.templateUpdate' },
    summary: 'Update an app to the newest version of its template',
    description:
      "All changes are applied together. Also requires the right to manage the app's models (403). " +
      '`take` has the keys of the chosen parts; other parts stay, and are not offered again until the ' +
      'template changes them. With `documents`, `job` creates the sample contents of added models; ' +
      'otherwise it is null. Losses return 400 `ValidationFailed` with `losses` without `acceptLoss: ' +
      'true`. 400 if a chosen part needs another one. 409 `VersionConflict` if `version` is not the ' +
      'newest version, 404 without a template.',
    permission: 'app.manage',
    transaction: 'own',
    body: z.strictObject({
      version: z.int().nullable(),
      take: z.array(z.string().max(200)).max(20_000),
      documents: z.boolean().default(false),
      acceptLoss: z.boolean().optional(),
      dryRun: z.boolean().optional(),
    }),
    response: updateCostSchema.extend({ job: idSchema.nullable() }),
  }),
  undoTemplateUpdate: endpoint(`POST ${updatePath}:undo`, {
    idempotent: { none: 'what was taken back is no update any more' },
    audit: { act: 'app.templateUndo' },
    summary: 'Undo the newest update from a template',
    description:
      "Restores the updated parts and the documents' earlier values, and deletes added models with " +
      'their documents, unless a remaining part uses them. Parts changed since stay. Also requires the ' +
      "right to manage the app's models (403). Losses, including models with documents, are reported " +
      'first. 404 if there is no update of the last 30 days that was not accepted, 409 ' +
      '`ChangeCannotBeTakenBack` while documents are still being converted.',
    permission: 'app.manage',
    transaction: 'own',
    body: z.strictObject({
      acceptLoss: z.boolean().optional(),
      dryRun: z.boolean().optional(),
    }),
    response: updateCostSchema,
  }),
  acceptTemplateUpdate: endpoint(`POST ${updatePath}:accept`, {
    idempotent: true,
    audit: { act: 'app.templateAccept' },
    summary: 'Accept the newest update from a template, so that it cannot be undone',
    description: '404 for an app that was not created from a template.',
    permission: 'app.manage',
    response: successSchema,
  }),
}
