import { z } from 'zod'
import { idSchema, successSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import {
  anySourceSchema,
  movePlanSchema,
  moveProblemSchema,
  plannedCustomTypeSchema,
  plannedFieldSchema,
  plannedModelSchema,
  plannedStateSchema,
} from './move-plans.ts'

/**
 * How a document differs between source and app since the last import:
 * - `new`: only in the source.
 * - `changed`: changed in the source only.
 * - `both`: changed in both.
 * - `gone`: deleted in the source.
 * - `removed`: changed in the source, deleted in the app.
 */
export const moveChangeKinds = ['new', 'changed', 'both', 'gone', 'removed'] as const
export type MoveChangeKind = (typeof moveChangeKinds)[number]

/**
 * Kinds for which a user chooses whether the source wins. `new` and `changed` documents are always imported, `removed`
 * documents never.
 */
export const chosenKinds = ['both', 'gone'] as const satisfies readonly MoveChangeKind[]

/**
 * The result for a document:
 * - `taken`: now as in the source (in the trash if deleted there).
 * - `kept`: as it was in the app.
 * - `edited`: kept because it was edited since the plan.
 * - `refused`: it cannot be stored (`problem`).
 */
export const moveOutcomes = ['taken', 'kept', 'edited', 'refused'] as const
export type MoveOutcome = (typeof moveOutcomes)[number]

const changesOfModelSchema = z.object({
  /**
   * The uid of the model in the archive and in the app. `uid` null: the app has no such model, or no longer has it, so
   * the documents are not imported.
   */
  from: z.string(),
  uid: z.string().nullable(),
  name: z.string(),
  /** Number of documents unchanged in the source since the last import. */
  unchanged: z.int(),
  /**
   * Whether deletions in the source can be detected. They cannot if the archive is incomplete, or contains only copies
   * of this model's documents.
   */
  knowsGone: z.boolean(),
  /** Keys of values for which the model no longer has a field. These values are not imported. */
  unknownFields: z.array(z.string()),
})

/**
 * Why a new model or field cannot be created:
 * - `lacksTarget`: it names a model or custom type missing here.
 * - `taken`: its uid was used since the plan.
 * - `tooMany`: the field limit is reached.
 * - `gone`: its model or custom type was deleted.
 * - `invalid`: its settings are invalid here for any other reason.
 */
const makingProblems = ['lacksTarget', 'taken', 'tooMany', 'gone', 'invalid'] as const
export type MakingProblem = (typeof makingProblems)[number]

/** Whether a new part of the source is created, and the result. `left`: not chosen. `refused`: not possible. */
const making = {
  takes: z.boolean(),
  outcome: z.enum(['made', 'left', 'refused']).nullable(),
  problem: z.enum(makingProblems).nullable(),
}

const newFieldSchema = plannedFieldSchema.extend({
  ...making,
  /** Key of the previous field in the source. null: it is the first field. */
  after: z.string().nullable(),
})
export type NewField = z.infer<typeof newFieldSchema>

const newModelSchema = plannedModelSchema.extend({ ...making, fields: z.array(newFieldSchema) })
export type NewModel = z.infer<typeof newModelSchema>

const partKinds = ['model', 'customType'] as const

/** A model or custom type of the app that has new fields in the source. */
const grownPartSchema = z.object({
  kind: z.enum(partKinds),
  /** The uid in the archive. null: the archive does not name it. */
  from: z.string().nullable(),
  uid: z.string(),
  name: z.string(),
  fields: z.array(newFieldSchema),
})
export type GrownPart = z.infer<typeof grownPartSchema>

const namedCountSchema = z.object({
  count: z.int(),
  /** The first names. */
  examples: z.array(z.string()),
})
export type NamedCount = z.infer<typeof namedCountSchema>

/**
 * Parts of an exported app that an import into an app leaves out:
 * - `lacksRight`: views, because the caller may not manage them.
 * - `tooMany`: views, because the limit of views is reached.
 * - `invalid`: views, because their settings are not possible here.
 * - `modelExists`: views of models that the app already had.
 * - `givesRights`: roles.
 * - `latestOnly`: revisions.
 */
const notImportedSchema = namedCountSchema.extend({
  what: z.enum(['views', 'roles', 'revisions']),
  why: z.enum(['lacksRight', 'tooMany', 'invalid', 'modelExists', 'givesRights', 'latestOnly']),
})
export type NotImported = z.infer<typeof notImportedSchema>

const additionsSchema = z.object({
  models: z.array(newModelSchema),
  parts: z.array(grownPartSchema),
  /** Custom types that new fields may use. They are created only for fields that are created. */
  customTypes: z.array(plannedCustomTypeSchema),
  /** The views of the new models. */
  views: namedCountSchema,
})
export type Additions = z.infer<typeof additionsSchema>

/** Returns whether any addition is chosen to be created. */
export const takesAny = ({ models, parts }: Pick<Additions, 'models' | 'parts'>): boolean =>
  [...models, ...parts.flatMap(({ fields }) => fields)].some(({ takes }) => takes)

/** The changes in the source since the import, or since the last update. */
export const moveChangesSchema = z.object({
  source: anySourceSchema,
  app: movePlanSchema.shape.app,
  /** Number of documents that can be imported, and of files that are missing or different here. */
  counts: movePlanSchema.shape.counts,
  models: z.array(changesOfModelSchema),
  /** New models and fields of the source. The chosen ones are created before documents are imported. */
  additions: additionsSchema,
  /** uids of new models of the source that another model of the app already uses. These models are not imported. */
  newModels: z.array(z.string()),
  /** uids of models of the app that are missing in the archive. */
  missingModels: z.array(z.string()),
  /**
   * Other parts that are left out. Before the start: parts that the caller cannot import. Afterwards: parts that were
   * not imported.
   */
  notImported: z.array(notImportedSchema),
})
export type AppChanges = z.infer<typeof moveChangesSchema>

const countSchema = z.object({
  /** uid of the model in the archive. */
  from: z.string(),
  kind: z.enum(moveChangeKinds),
  takes: z.boolean(),
  outcome: z.enum(moveOutcomes).nullable(),
  count: z.int(),
})
export type MoveChangeCount = z.infer<typeof countSchema>

/**
 * How a file that differs in the source has changed. `changed`: only in the source. `both`: it was also replaced here.
 */
const fileKinds = ['changed', 'both'] as const
export type MoveFileKind = (typeof fileKinds)[number]

const fileCountSchema = z.object({
  kind: z.enum(fileKinds),
  takes: z.boolean(),
  outcome: z.enum(moveOutcomes).nullable(),
  /** Error code of the refusal. */
  problem: z.string().nullable(),
  count: z.int(),
  /** The first ten files. */
  examples: z.array(z.object({ _id: idSchema, fileName: z.string() })),
})
export type MoveFileCount = z.infer<typeof fileCountSchema>

const changedDocumentSchema = z.object({
  _id: idSchema,
  title: z.string(),
  /** uid of the document's model in the app. */
  model: z.string(),
  kind: z.enum(moveChangeKinds),
  takes: z.boolean(),
  outcome: z.enum(moveOutcomes).nullable(),
  /** Error code of the refusal. */
  problem: z.string().nullable(),
})
export type ChangedDocument = z.infer<typeof changedDocumentSchema>

const additionChoiceSchema = z.strictObject({
  models: z
    .array(z.strictObject({ from: z.string().max(200), takes: z.boolean() }))
    .max(1000)
    .default([]),
  fields: z
    .array(
      z.strictObject({
        kind: z.enum(partKinds),
        /** uid of the model or custom type in the app. */
        uid: z.string().max(64),
        from: z.string().max(200),
        takes: z.boolean().exactOptional(),
        /** Index of the chosen type in `choices`. */
        choice: z.int().min(0).exactOptional(),
      }),
    )
    .max(1000)
    .default([]),
})
export type AdditionChoice = z.output<typeof additionChoiceSchema>

export const changesAnswer = z.object({
  changes: moveChangesSchema,
  /** Problems of the contents of the source (`contentProblems`), for imports into an app. */
  problems: z.array(moveProblemSchema),
  counts: z.array(countSchema),
  /** Files that differ in the source, under their original `_id`s. */
  files: z.array(fileCountSchema),
  /**
   * For imports into an app from a source with states: the states of each model. `from` and `name`: as in the source.
   */
  states: z.array(z.object({ from: z.string(), name: z.string(), states: z.array(plannedStateSchema) })),
  leftOut: movePlanSchema.shape.leftOut,
  confirmed: movePlanSchema.shape.confirmed,
})

export const changedDocumentsQuery = z.object({
  kind: z.enum(moveChangeKinds).exactOptional(),
  outcome: z.enum(moveOutcomes).exactOptional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  skip: z.coerce.number().int().min(0).max(1_000_000).default(0),
})
export type ChangedDocumentsPage = z.input<typeof changedDocumentsQuery>
export const changedDocumentsAnswer = z.object({ documents: z.array(changedDocumentSchema), total: z.int() })
export const changesChoiceBody = z.strictObject({
  data: additionChoiceSchema.extend({
    kinds: z
      .array(z.strictObject({ kind: z.enum(chosenKinds), takes: z.boolean() }))
      .max(chosenKinds.length)
      .default([]),
    documents: z
      .array(z.strictObject({ model: z.string().max(64), _id: idSchema, takes: z.boolean() }))
      .max(1000)
      .default([]),
    /** Whether the source wins for files that were changed on both sides. */
    files: z.strictObject({ takes: z.boolean() }).exactOptional(),
    /**
     * Choices for the states of the contents, for imports into an app. They cause a new comparison with the archive,
     * which resets the choices about documents.
     */
    states: z
      .array(
        z.strictObject({
          from: z.string().max(200),
          key: z.string().max(200),
          choice: plannedStateSchema.shape.choice,
        }),
      )
      .max(1000)
      .default([]),
    /** Confirms that the contents of a file that is not an export of a supported service are to be imported. */
    confirmed: z.boolean().exactOptional(),
  }),
})

export type ChangesChoice = z.input<typeof changesChoiceBody>['data']

/** Updates an imported app from its source. Started by `createMove` with `updates`. */
export const moveUpdateEndpoints = {
  getMoveChanges: endpoint('GET /api/project/{p}/move/{id}/changes', {
    summary: 'Get the changes of an update, counted by model and kind',
    description: 'After the update, the response contains its outcomes.',
    permission: 'app.create',
    programs: true,
    response: changesAnswer,
  }),
  listChangedDocuments: endpoint('GET /api/project/{p}/move/{id}/changes/documents', {
    summary: 'List documents that an update changes',
    description: 'The list can be filtered by kind and by outcome.',
    permission: 'app.create',
    programs: true,
    query: changedDocumentsQuery,
    response: changedDocumentsAnswer,
  }),
  chooseMoveChanges: endpoint('PUT /api/project/{p}/move/{id}/changes', {
    audit: { act: 'move.plan' },
    summary: 'Choose which documents and fields an update overwrites or adds',
    description:
      'The body contains choices for all documents of a kind (`both`, `gone`), and then choices for ' +
      'single documents. Without a choice, these documents stay unchanged. New models and fields are ' +
      'created with the chosen type, unless they are excluded.',
    permission: 'app.create',
    programs: true,
    body: changesChoiceBody,
    response: successSchema,
  }),
}
