import { z } from 'zod'
import { customTypeUidProblem } from '../fields/custom-types.ts'
import { storableText } from '../fields/field-type.ts'
import { fieldSchema } from '../fields/index.ts'
import { idSchema, nameSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import {
  blockedSchema,
  fieldInputSchema,
  modelChangeSchema,
  modelLossSchema,
  siteChangeSchema,
} from './models.ts'

export const customTypeSchema = z.object({
  _id: idSchema,
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  fields: z.array(fieldSchema),
  version: z.int(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
})
export type CustomType = z.infer<typeof customTypeSchema>

/** Any printable characters except `/`. Sites identify the type by this uid. */
const uidSchema = z.string().superRefine((uid, context) => {
  const problem = customTypeUidProblem(uid)
  if (problem) context.addIssue({ code: 'custom', message: problem })
})

export const customTypeInput = {
  uid: uidSchema,
  name: nameSchema,
  description: storableText(1000).optional(),
  fields: z.array(fieldInputSchema).max(200).optional(),
}

const changedSchema = z.object({
  customFieldType: customTypeSchema,
  losses: z.array(modelLossSchema.extend({ model: z.string() })),
  /** Changes in responses to sites, and documents that could no longer be published. Filled for a `dryRun` only. */
  site: z.array(siteChangeSchema.extend({ model: z.string() })),
  blocked: z.array(blockedSchema.extend({ model: z.string() })),
  /** uids of the models that use the type, with the number of their documents. */
  models: z.array(z.object({ uid: z.string(), documents: z.int() })),
})

export const customTypeEndpoints = {
  listCustomTypes: endpoint('GET /api/project/{p}/app/{a}/customFieldType', {
    summary: 'The custom field types of an app, by their names.',
    permission: 'document.read',
    response: z.object({ customFieldTypes: z.array(customTypeSchema) }),
  }),
  createCustomType: endpoint('POST /api/project/{p}/app/{a}/customFieldType', {
    idempotent: true,
    audit: { act: 'customType.create', of: 'customFieldType', shows: ['uid', 'name', 'version'] },
    summary: 'Make a custom field type. Its name and uid are its own in the app.',
    permission: 'model.manage',
    body: z.strictObject({ data: z.strictObject(customTypeInput) }),
    response: z.object({ customFieldType: customTypeSchema }),
  }),
  getCustomType: endpoint('GET /api/project/{p}/app/{a}/customFieldType/{id}', {
    summary: 'One custom field type with its fields.',
    permission: 'document.read',
    response: z.object({ customFieldType: customTypeSchema }),
  }),
  updateCustomType: endpoint('PUT /api/project/{p}/app/{a}/customFieldType/{id}', {
    audit: {
      act: 'customType.update',
      of: 'customFieldType',
      shows: ['uid', 'name', 'description', 'version', 'fields'],
    },
    summary:
      'Change a custom field type. `fields` is the whole new list in order; documents of all `models` that use the type ' +
      'are converted, those of large models later. A change that would lose values changes nothing and answers 400 ' +
      '`ValidationFailed` with `losses` and `models` until it is sent again with `acceptLoss: true`. One by which a field is ' +
      'to be unique that documents are published with the same value in answers 400 with `repeated`. `version` is the ' +
      'base the caller edited.',
    permission: 'model.manage',
    transaction: 'own',
    body: z.strictObject({
      data: z.strictObject({
        ...customTypeInput,
        uid: customTypeInput.uid.optional(),
        name: customTypeInput.name.optional(),
        version: z.int().optional(),
      }),
      acceptLoss: z.boolean().optional(),
      /** Returns the effects without changing anything. */
      dryRun: z.boolean().optional(),
    }),
    response: changedSchema,
  }),
  listCustomTypeChanges: endpoint('GET /api/project/{p}/app/{a}/customFieldType/{id}/change', {
    summary:
      'The changes of the custom field type by which documents were converted and that can be taken back, the newest ' +
      'first; `version` is the type’s.',
    permission: 'model.manage',
    response: z.object({ changes: z.array(modelChangeSchema) }),
  }),
  takeBackCustomTypeChange: endpoint('POST /api/project/{p}/app/{a}/customFieldType/{id}/change:takeBack', {
    audit: { act: 'customType.takeBack' },
    idempotent: { none: 'what was taken back is no change any more' },
    summary:
      'Take the newest of these changes back, in all models that use the type: fields are what they were, and documents ' +
      'hold what they held before. What was written in these fields since is converted, and losses are told first. 409 ' +
      '`ChangeCannotBeTakenBack` with its `reason`.',
    permission: 'model.manage',
    transaction: 'own',
    body: z.strictObject({
      version: z.int(),
      acceptLoss: z.boolean().optional(),
      /** Returns the effects without changing anything. */
      dryRun: z.boolean().optional(),
    }),
    response: changedSchema,
  }),
  confirmCustomTypeChange: endpoint('POST /api/project/{p}/app/{a}/customFieldType/{id}/change:confirm', {
    audit: { act: 'customType.confirm' },
    idempotent: true,
    summary: 'Let this change and those before it be: what documents held before is not kept any longer.',
    permission: 'model.manage',
    body: z.strictObject({ version: z.int() }),
    response: z.object({ changes: z.array(modelChangeSchema) }),
  }),
  deleteCustomType: endpoint('DELETE /api/project/{p}/app/{a}/customFieldType/{id}', {
    audit: { act: 'customType.delete' },
    summary:
      'Delete a custom field type. One that models or other types use answers 409 `CustomFieldTypeIsAlreadyInUse` ' +
      'with `models` and `customFieldTypes`, their uids.',
    permission: 'model.manage',
    response: successSchema,
  }),
  copyCustomType: endpoint('POST /api/project/{p}/app/{a}/model/{m}/customFieldTypes', {
    idempotent: true,
    audit: { act: 'customType.create', of: 'customFieldType', shows: ['uid', 'name'] },
    summary:
      'Copy a custom field type that a model of another app uses into this app, for use in the model, together with ' +
      'the custom field types that it is made of. Models that its references need must be there by the same uid.',
    permission: 'model.manage',
    body: z.strictObject({
      /** uid of the other app, which the caller must be able to read. */
      fromAppId: z.string().max(64),
      fromModelUid: z.string().max(64),
      customFieldTypeName: z.string().max(100),
    }),
    response: z.object({
      customFieldType: customTypeSchema,
      /** All copied types, including the requested one. */
      customFieldTypes: z.array(customTypeSchema),
    }),
  }),
}
