import { z } from 'zod'
import { nameSchema, uidSchema } from './common.ts'
import { customTypeInput } from './custom-types.ts'
import { endpoint } from './endpoint.ts'
import { modelInput, modelSchema } from './models.ts'

/** A model without `_id`s, with the custom field types it uses. The model's page shows this JSON. */
const portableModelSchema = z.strictObject({
  ...modelInput,
  customFieldTypes: z.array(z.strictObject(customTypeInput)).max(200).optional(),
})
export type PortableModelInput = z.infer<typeof portableModelSchema>

const copyPlanSchema = z.object({
  uid: z.string(),
  name: z.string(),
  /** uids of the fields. */
  fields: z.array(z.string()),
  /**
   * uids of custom field types. `made`: those that are created with the model. `used`: existing ones of the app that
   * the model uses.
   */
  customFieldTypes: z.object({ made: z.array(z.string()), used: z.array(z.string()) }),
  /**
   * Parts that refer to models missing in the app: `author`, `sections.REFERENCE`, `Q&A.author`, `byline.condition`.
   */
  leftOut: z.array(z.object({ path: z.string(), model: z.string() })),
})
export type CopyPlan = z.infer<typeof copyPlanSchema>

const response = z.object({ model: modelSchema.nullable(), plan: copyPlanSchema })
/** Returns only the plan and changes nothing. `model` is null. */
const dryRun = z.boolean().optional()

export const modelCopyEndpoints = {
  duplicateModel: endpoint('POST /api/project/{p}/app/{a}/model/duplicate', {
    idempotent: true,
    audit: { act: 'model.create', of: 'model', shows: ['uid', 'name'] },
    summary: 'Duplicate a model of this or another app without its documents',
    description:
      'The custom field types that the model uses are copied too, unless the app already has the same ' +
      'ones. References point to the models of this app with the same uid, and self-references to the ' +
      'copy. References without such a model are omitted and listed in `plan.leftOut`. 409 ' +
      '`ModelUidIsAlreadyInUse` for a `uid` in use. 409 `CustomFieldTypeIsAlreadyInUse` with the uids ' +
      'in `customFieldTypes` if this app has different types under these uids. 403 if the caller cannot ' +
      'read all models of another source app.',
    permission: 'model.manage',
    body: z.strictObject({
      /** uid of the source app. The caller must be able to read all models of another app. */
      fromAppId: z.string().max(64),
      /** uid or `_id` of the model there, which the caller must be able to read. */
      fromModelId: z.string().max(64),
      /** Default: the uid of the source, with a number added if it is taken. */
      uid: uidSchema('model').optional(),
      /** Default: the name of the source. */
      name: nameSchema.optional(),
      dryRun,
    }),
    response,
  }),
  importModel: endpoint('POST /api/project/{p}/app/{a}/model:import', {
    idempotent: true,
    audit: { act: 'model.create', of: 'model', shows: ['uid', 'name'] },
    summary: "Create a model from the JSON that the model's page shows",
    description: 'References and custom field types are treated as by `duplicateModel`.',
    permission: 'model.manage',
    body: z.strictObject({ data: portableModelSchema, dryRun }),
    response,
  }),
}
