import { z } from 'zod'
import { nameSchema, uidSchema } from './common.ts'
import { customTypeInput } from './custom-types.ts'
import { endpoint } from './endpoint.ts'
import { modelInput, modelSchema } from './models.ts'

/** A model without `_id`s, with the custom field types that it is made of: as the model's page shows it as JSON. */
const portableModelSchema = z.strictObject({
  ...modelInput,
  customFieldTypes: z.array(z.strictObject(customTypeInput)).max(200).optional(),
})
export type PortableModelInput = z.infer<typeof portableModelSchema>

/** What comes along, and what does not. */
const copyPlanSchema = z.object({
  uid: z.string(),
  name: z.string(),
  /** uids of the fields. */
  fields: z.array(z.string()),
  /** uids of the custom field types that are made with the model, and of those of the app that it uses. */
  customFieldTypes: z.object({ made: z.array(z.string()), used: z.array(z.string()) }),
  /** What refers to models that the app does not have: `author`, `sections.REFERENCE`, `Q&A.author`, `byline.condition`. */
  leftOut: z.array(z.object({ path: z.string(), model: z.string() })),
})
export type CopyPlan = z.infer<typeof copyPlanSchema>

const response = z.object({ model: modelSchema.nullable(), plan: copyPlanSchema })
/** Only answer the plan; change nothing, `model` is null. */
const dryRun = z.boolean().optional()

export const modelCopyEndpoints = {
  duplicateModel: endpoint('POST /api/project/{p}/app/{a}/model/duplicate', {
    idempotent: true,
    audit: { act: 'model.create', of: 'model', shows: ['uid', 'name'] },
    summary:
      'Duplicate a model of this or another app, without its documents, together with the custom field types that it ' +
      'is made of. References point to the models of this app by the same uid, those to itself to the copy; what has no ' +
      'such model is left out and named in `plan.leftOut`. Custom field types that are other ones here answer 409 ' +
      '`CustomFieldTypeIsAlreadyInUse` with `customFieldTypes`, their uids.',
    permission: 'model.manage',
    body: z.strictObject({
      /** uid of the app that the model is in, which the caller must be able to read. */
      fromAppId: z.string().max(64),
      /** uid or `_id` of the model there, which the caller must be able to read. */
      fromModelId: z.string().max(64),
      /** Left out: the same where it is free, else one with a number. */
      uid: uidSchema('model').optional(),
      /** Left out: the same. */
      name: nameSchema.optional(),
      dryRun,
    }),
    response,
  }),
  importModel: endpoint('POST /api/project/{p}/app/{a}/model:import', {
    idempotent: true,
    audit: { act: 'model.create', of: 'model', shows: ['uid', 'name'] },
    summary:
      'Make a model from JSON, as the model page shows it. References and custom field types are treated as by ' +
      '`duplicateModel`.',
    permission: 'model.manage',
    body: z.strictObject({ data: portableModelSchema, dryRun }),
    response,
  }),
}
