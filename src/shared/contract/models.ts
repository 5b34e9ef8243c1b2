import { z } from 'zod'
import { checkName, mostFields, storableText } from '../fields/field-type.ts'
import { fieldSchema } from '../fields/index.ts'
import { changedUidSchema, idSchema, nameSchema, successSchema, timeSchema, uidSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

export const modelSchema = z.object({
  _id: idSchema,
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  fields: z.array(fieldSchema),
  /** `_id` of the title field; null for a model without one. */
  titleField: idSchema.nullable(),
  version: z.int(),
  /**
   * Conversion of a large model's documents in the background, after its fields changed. null: all documents are
   * converted. Responses already have the new shape, but lists cannot filter or sort by the changed fields. `stopped`:
   * no job is converting the documents.
   */
  conversion: z
    .object({
      state: z.enum(['waiting', 'running', 'stopped']),
      done: z.int(),
      total: z.int().nullable(),
      /**
       * Why the conversion stopped: published documents have the same value in a field that is to become unique. Empty
       * if it did not stop for this reason.
       */
      repeated: z.array(z.object({ field: z.string(), value: z.string(), documents: z.array(idSchema) })),
    })
    .nullable(),
  /** Number of documents that are not in the trash, and how many of them are published. */
  documentCount: z.int(),
  publishedCount: z.int(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
})
export type Model = z.infer<typeof modelSchema>

/**
 * A field in a request body; `_id` only for existing fields. Typed loosely, because the service parses it with
 * `fieldSchema`, creates `_id`s for new fields and reports the path of an invalid part (`data.fields.2.uid`).
 */
export const fieldInputSchema = z.looseObject({
  _id: idSchema.optional(),
  uid: z.string(),
  name: z.string().superRefine(checkName),
  tab: z.string().superRefine(checkName).nullish(),
  type: z.string(),
})

export const modelInput = {
  uid: uidSchema('model'),
  name: nameSchema,
  description: storableText(1000).optional(),
  fields: z.array(fieldInputSchema).max(mostFields).optional(),
  /**
   * uid of the title field. null: no title. Omitted: the current title field of an existing model, otherwise the first
   * field that can be a title field.
   */
  titleField: z.string().max(64).nullish(),
}

/** Data that a change of a model would lose, per field. */
export const modelLossSchema = z.object({
  /** Path of the previous field. Nested fields as `sections[hero].data.title`, with the item type in brackets. */
  field: z.string(),
  /** Number of documents outside the trash that would lose data in this field. */
  documents: z.int(),
  /** `modelRemoved`: references are kept, but point to documents of models that the field no longer allows. */
  reason: z.enum(['removed', 'typeChanged', 'multipleOff', 'modelRemoved']),
})

/**
 * A change in responses to sites (`fields/site-changes.ts`), reported for a `dryRun` if the model has published
 * documents. `field` null: the model itself.
 */
export const siteChangeSchema = z.object({
  kind: z.enum(['modelUid', 'uid', 'removed', 'type']),
  field: z.string().nullable(),
  before: z.string(),
  after: z.string().nullable(),
})

/**
 * A rule that documents would break only after the change, so that they could no longer be published. Reported for a
 * `dryRun` only.
 */
export const blockedSchema = z.object({
  /** uid of the field after the change. */
  field: z.string(),
  /** Code of the issue that publishing would report, such as `Required`. */
  code: z.string(),
  documents: z.int(),
})

/**
 * A change of the fields of a model or a custom type. It can be undone until `until`, unless a user confirms it before.
 */
export const modelChangeSchema = z.object({
  /** The version of the model or custom field type after the change. */
  version: z.int(),
  /**
   * The changed fields with their previous uid and name. `from` and `to` are types; `to` is null for a removed field.
   */
  fields: z.array(
    z.object({ uid: z.string(), name: z.string(), from: z.string(), to: z.string().nullable() }),
  ),
  changedBy: z.object({ _id: idSchema, name: z.string() }).nullable(),
  changedAt: timeSchema,
  until: timeSchema,
})
export type ModelChange = z.infer<typeof modelChangeSchema>

export const modelEndpoints = {
  listModels: endpoint('GET /api/project/{p}/app/{a}/model', {
    programs: 'apiToken',
    summary: 'List the models of an app that you can read, in their order',
    permission: 'document.read',
    response: z.object({ models: z.array(modelSchema) }),
  }),
  createModel: endpoint('POST /api/project/{p}/app/{a}/model', {
    idempotent: true,
    audit: { act: 'model.create', of: 'model', shows: ['uid', 'name'] },
    summary: 'Create a model',
    description: '409 `ModelUidIsAlreadyInUse` if the app has a model with the uid.',
    permission: 'model.manage',
    body: z.strictObject({ data: z.strictObject(modelInput) }),
    response: z.object({ model: modelSchema }),
  }),
  updateModelOrder: endpoint('POST /api/project/{p}/app/{a}/model:updateOrder', {
    idempotent: true,
    audit: { act: 'model.reorder' },
    summary: 'Change the order of the models',
    description: "`modelIds` must contain exactly the uids of the app's models.",
    permission: 'model.manage',
    body: z.strictObject({ modelIds: z.array(z.string().max(64)).max(1000) }),
    response: z.object({ models: z.array(modelSchema) }),
  }),
  getModel: endpoint('GET /api/project/{p}/app/{a}/model/{m}', {
    programs: 'apiToken',
    summary: 'Get a model with its fields',
    description:
      "If a field refers to a model that the caller cannot read, that model's uid is replaced by `?` " +
      'and the `_id` of that model.',
    permission: 'document.read',
    response: z.object({ model: modelSchema }),
  }),
  updateModel: endpoint('PUT /api/project/{p}/app/{a}/model/{m}', {
    audit: {
      act: 'model.update',
      of: 'model',
      shows: ['uid', 'name', 'description', 'titleField', 'version', 'fields'],
    },
    summary: 'Update a model and its fields',
    description:
      '`fields` is the complete new list in order. A change that would lose values returns 400 ' +
      '`ValidationFailed` with `losses` (each with its number of `documents`), and changes nothing ' +
      'without `acceptLoss: true`. `dryRun` changes nothing and returns `losses`, the differences for ' +
      'sites (`site`) and the rules that documents would break (`blocked`). A change that makes a field ' +
      'unique returns 400 with `repeated` if published documents share a value. Documents of a model ' +
      'with more than 2,000 documents are converted in a job. `version` is the version that the caller ' +
      'edited; 409 `VersionConflict` if it is not the current one. 409 `ModelUidIsAlreadyInUse` for the ' +
      'uid of another model.',
    permission: 'model.manage',
    transaction: 'own',
    body: z.strictObject({
      data: z.strictObject({
        ...modelInput,
        uid: changedUidSchema.optional(),
        name: modelInput.name.optional(),
        version: z.int().optional(),
      }),
      acceptLoss: z.boolean().optional(),
      /** Returns losses, changes for sites and rules that documents would break, without changing anything. */
      dryRun: z.boolean().optional(),
    }),
    response: z.object({
      model: modelSchema,
      losses: z.array(modelLossSchema),
      site: z.array(siteChangeSchema),
      blocked: z.array(blockedSchema),
      documents: z.int(),
    }),
  }),
  continueConversion: endpoint('POST /api/project/{p}/app/{a}/model/{m}/conversion', {
    idempotent: true,
    audit: { act: 'model.convert', of: 'model' },
    summary: 'Resume a stopped conversion of documents',
    description: 'Changes nothing if all documents are converted.',
    permission: 'model.manage',
    response: z.object({ model: modelSchema }),
  }),
  listModelChanges: endpoint('GET /api/project/{p}/app/{a}/model/{m}/change', {
    summary: 'List revertible changes of the fields, newest first',
    description:
      'Contains changes of the last 30 days that converted documents and were not confirmed. Changes by ' +
      'a custom field type are listed there.',
    permission: 'model.manage',
    response: z.object({ changes: z.array(modelChangeSchema) }),
  }),
  takeBackModelChange: endpoint('POST /api/project/{p}/app/{a}/model/{m}/change:takeBack', {
    idempotent: { none: 'what was taken back is no change any more' },
    audit: { act: 'model.takeBack', of: 'model', shows: ['version'] },
    summary: 'Revert the newest change of the fields',
    description:
      "Restores the fields and the documents' earlier values. Values written to these fields since are " +
      'converted; losses are reported first, as by `updateModel`. 404 if there is no such change. 409 ' +
      '`ChangeCannotBeTakenBack` with a `reason`: `newer` (it is not the newest change), `converting` ' +
      '(documents are still being converted) or `types` (a custom field type has changed).',
    permission: 'model.manage',
    transaction: 'own',
    body: z.strictObject({
      version: z.int(),
      acceptLoss: z.boolean().optional(),
      dryRun: z.boolean().optional(),
    }),
    response: z.object({
      model: modelSchema,
      losses: z.array(modelLossSchema),
      site: z.array(siteChangeSchema),
      blocked: z.array(blockedSchema),
      documents: z.int(),
    }),
  }),
  confirmModelChange: endpoint('POST /api/project/{p}/app/{a}/model/{m}/change:confirm', {
    idempotent: true,
    audit: { act: 'model.confirm' },
    summary: 'Make a change of the fields, and earlier ones, permanent',
    description:
      'These changes can no longer be reverted, and the earlier values of documents are deleted later. ' +
      'Returns the changes that can still be reverted.',
    permission: 'model.manage',
    body: z.strictObject({ version: z.int() }),
    response: z.object({ changes: z.array(modelChangeSchema) }),
  }),
  deleteModel: endpoint('DELETE /api/project/{p}/app/{a}/model/{m}', {
    audit: { act: 'model.delete' },
    summary: 'Delete a model with its documents',
    description:
      '409 `ModelIsStillReferenced` while other models or custom field types of the app refer to it. ' +
      'The error lists them in `models` and `customFieldTypes`.',
    permission: 'model.manage',
    response: successSchema,
  }),
}
