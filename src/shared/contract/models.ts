import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { fieldSchema } from '../fields/index.ts'
import { changedUidSchema, idSchema, nameSchema, successSchema, timeSchema, uidSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

export const modelSchema = z.object({
  _id: idSchema,
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  fields: z.array(fieldSchema),
  /** `_id` of the field that titles a document; null for a model without one. */
  titleField: idSchema.nullable(),
  version: z.int(),
  /**
   * Documents of a large model follow a change of its fields one after the other; null when all have. Meanwhile they are
   * answered in their new shape, but lists take no filter or order by those fields. `stopped`: nothing is at it any more.
   */
  conversion: z
    .object({ state: z.enum(['waiting', 'running', 'stopped']), done: z.int(), total: z.int().nullable() })
    .nullable(),
  /** Documents that are not in the trash, and how many of them are published. */
  documentCount: z.int(),
  publishedCount: z.int(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
})
export type Model = z.infer<typeof modelSchema>

/**
 * A field in a body: `_id` only for one that exists already. Loosely typed here and read by `fieldSchema` in the
 * models service, which makes the `_id`s of new fields and names the culprit (`fields.2.uid`).
 */
export const fieldInputSchema = z.looseObject({
  _id: idSchema.optional(),
  uid: z.string(),
  name: z.string(),
  type: z.string(),
})

const modelInput = {
  uid: uidSchema('model'),
  name: nameSchema,
  description: storableText(1000).optional(),
  fields: z.array(fieldInputSchema).max(200).optional(),
  /** uid of the title field; left out: the first field that can be one. */
  titleField: z.string().max(64).nullish(),
}

/** What a change of a model would lose, field by field. */
export const modelLossSchema = z.object({
  field: z.string(),
  documents: z.int(),
  reason: z.enum(['removed', 'typeChanged', 'multipleOff']),
})

export const modelEndpoints = {
  listModels: endpoint('GET /api/project/{p}/app/{a}/model', {
    summary: 'The models of an app, in their order.',
    permission: 'document.read',
    response: z.object({ models: z.array(modelSchema) }),
  }),
  createModel: endpoint('POST /api/project/{p}/app/{a}/model', {
    summary: 'Make a model.',
    permission: 'model.manage',
    body: z.strictObject({ data: z.strictObject(modelInput) }),
    response: z.object({ model: modelSchema }),
  }),
  updateModelOrder: endpoint('POST /api/project/{p}/app/{a}/model:updateOrder', {
    summary: 'The new order of the models: exactly the uids of the app.',
    permission: 'model.manage',
    body: z.strictObject({ modelIds: z.array(z.string().max(64)).max(1000) }),
    response: z.object({ models: z.array(modelSchema) }),
  }),
  getModel: endpoint('GET /api/project/{p}/app/{a}/model/{m}', {
    summary: 'One model with its fields.',
    permission: 'document.read',
    response: z.object({ model: modelSchema }),
  }),
  updateModel: endpoint('PUT /api/project/{p}/app/{a}/model/{m}', {
    summary:
      'Change a model. `fields` is the whole new list in order. A change that would lose values changes nothing and ' +
      'answers 400 `ValidationFailed` with `losses` until it is sent again with `acceptLoss: true`; ' +
      '`version` is the base the caller edited.',
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
      /** Only say what would be lost; change nothing. */
      dryRun: z.boolean().optional(),
    }),
    response: z.object({ model: modelSchema, losses: z.array(modelLossSchema) }),
  }),
  deleteModel: endpoint('DELETE /api/project/{p}/app/{a}/model/{m}', {
    summary: 'Delete a model with its documents. Refused while another model of the app refers to it.',
    permission: 'model.manage',
    response: successSchema,
  }),
}
