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

/**
 * One to 64 printable characters except `/`, without surrounding white space. Must not be the name of a built-in type.
 * Sites identify the type by this uid.
 */
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
  /**
   * `site`: changes in responses to sites. `blocked`: rules that documents would break. Both are filled for a `dryRun`
   * only.
   */
  site: z.array(siteChangeSchema.extend({ model: z.string() })),
  blocked: z.array(blockedSchema.extend({ model: z.string() })),
  /** uids of the models that use the type, with the number of their documents. */
  models: z.array(z.object({ uid: z.string(), documents: z.int() })),
})

export const customTypeEndpoints = {
  listCustomTypes: endpoint('GET /api/project/{p}/app/{a}/customFieldType', {
    summary: 'List the custom field types of an app, sorted by name',
    permission: 'document.read',
    response: z.object({ customFieldTypes: z.array(customTypeSchema) }),
  }),
  createCustomType: endpoint('POST /api/project/{p}/app/{a}/customFieldType', {
    idempotent: true,
    audit: { act: 'customType.create', of: 'customFieldType', shows: ['uid', 'name', 'version'] },
    summary: 'Create a custom field type',
    description: '409 `CustomFieldTypeIsAlreadyInUse` if the app has a type with the uid or the name.',
    permission: 'model.manage',
    body: z.strictObject({ data: z.strictObject(customTypeInput) }),
    response: z.object({ customFieldType: customTypeSchema }),
  }),
  getCustomType: endpoint('GET /api/project/{p}/app/{a}/customFieldType/{id}', {
    summary: 'Get a custom field type with its fields',
    permission: 'document.read',
    response: z.object({ customFieldType: customTypeSchema }),
  }),
  updateCustomType: endpoint('PUT /api/project/{p}/app/{a}/customFieldType/{id}', {
    audit: {
      act: 'customType.update',
      of: 'customFieldType',
      shows: ['uid', 'name', 'description', 'version', 'fields'],
    },
    summary: 'Update a custom field type',
    description:
      '`fields` is the complete new list in order. Documents of all `models` that use the type are ' +
      'converted; those of models with more than 2,000 documents in a job. A change that would lose ' +
      'values returns 400 `ValidationFailed` with `losses` and `models`, and changes nothing without ' +
      '`acceptLoss: true`. `dryRun` changes nothing and returns all effects. A change that makes a ' +
      'field unique returns 400 with `repeated` if published documents share a value. `version` is the ' +
      'version that the caller edited; 409 `VersionConflict` if it is not the current one. 409 ' +
      '`CustomFieldTypeIsAlreadyInUse` for the uid or name of another type.',
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
      dryRun: z.boolean().optional(),
    }),
    response: changedSchema,
  }),
  listCustomTypeChanges: endpoint('GET /api/project/{p}/app/{a}/customFieldType/{id}/change', {
    summary: 'List revertible changes of a custom field type, newest first',
    description:
      'Contains changes of the last 30 days that converted documents and were not confirmed. `version` ' +
      'belongs to the type.',
    permission: 'model.manage',
    response: z.object({ changes: z.array(modelChangeSchema) }),
  }),
  takeBackCustomTypeChange: endpoint('POST /api/project/{p}/app/{a}/customFieldType/{id}/change:takeBack', {
    audit: { act: 'customType.takeBack' },
    idempotent: { none: 'what was taken back is no change any more' },
    summary: 'Revert the newest change of a custom field type',
    description:
      "Restores the fields and the documents' earlier values in all models that use the type. Values " +
      'written to these fields since are converted; losses are reported first, as by ' +
      '`updateCustomType`. 404 if there is no such change. 409 `ChangeCannotBeTakenBack` with a ' +
      '`reason` (see `takeBackModelChange`).',
    permission: 'model.manage',
    transaction: 'own',
    body: z.strictObject({
      version: z.int(),
      acceptLoss: z.boolean().optional(),
      dryRun: z.boolean().optional(),
    }),
    response: changedSchema,
  }),
  confirmCustomTypeChange: endpoint('POST /api/project/{p}/app/{a}/customFieldType/{id}/change:confirm', {
    audit: { act: 'customType.confirm' },
    idempotent: true,
    summary: 'Make a change of a custom field type, and earlier ones, permanent',
    description:
      'These changes can no longer be reverted, and the earlier values of documents are deleted later. ' +
      'Returns the changes that can still be reverted.',
    permission: 'model.manage',
    body: z.strictObject({ version: z.int() }),
    response: z.object({ changes: z.array(modelChangeSchema) }),
  }),
  deleteCustomType: endpoint('DELETE /api/project/{p}/app/{a}/customFieldType/{id}', {
    audit: { act: 'customType.delete' },
    summary: 'Delete a custom field type that is not in use',
    description:
      '409 `CustomFieldTypeIsAlreadyInUse` with the uids of the `models` and `customFieldTypes` that ' +
      'use it.',
    permission: 'model.manage',
    response: successSchema,
  }),
  copyCustomType: endpoint('POST /api/project/{p}/app/{a}/model/{m}/customFieldTypes', {
    idempotent: true,
    audit: { act: 'customType.create', of: 'customFieldType', shows: ['uid', 'name'] },
    summary: 'Copy a custom field type from another app for use in a model',
    description:
      'The custom field types that the copied type uses are copied too, unless this app already has the ' +
      'same ones. Models that its references need must exist in this app with the same uid; otherwise ' +
      '400 with the missing `models`. 409 `CustomFieldTypeIsAlreadyInUse` with the uids in ' +
      "`customFieldTypes` if this app has the copied type's uid, or other types under these uids. 403 " +
      'if the caller cannot read all models of the source app.',
    permission: 'model.manage',
    body: z.strictObject({
      /** uid of the other app, whose models the caller must be able to read. */
      fromAppId: z.string().max(64),
      fromModelUid: z.string().max(64),
      customFieldTypeName: z.string().max(100),
    }),
    response: z.object({
      customFieldType: customTypeSchema,
      customFieldTypes: z.array(customTypeSchema),
    }),
  }),
}
