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
 * - `both`: changed in both. Also a document that differs and has no recorded import.
 * - `gone`: deleted in the source. Only for updates.
 * - `removed`: changed in the source, deleted in the app.
 */
export const moveChangeKinds = ['new', 'changed', 'both', 'gone', 'removed'] as const
export type MoveChangeKind = (typeof moveChangeKinds)[number]

/**
 * Kinds for which a user chooses between source and app. Documents of the kinds `new` and `changed` are imported,
 * `removed` documents are not.
 */
export const chosenKinds = ['both', 'gone'] as const satisfies readonly MoveChangeKind[]

/**
 * The result for a document or file. null: before the import, and for `removed` documents.
 * - `taken`: now as in the source (in the trash if deleted there).
 * - `kept`: as it was in the app.
 * - `edited`: not imported, because it was created, edited or deleted in the app since the plan.
 * - `refused`: it cannot be stored (`problem`).
 */
export const moveOutcomes = ['taken', 'kept', 'edited', 'refused'] as const
export type MoveOutcome = (typeof moveOutcomes)[number]

const changesOfModelSchema = z.object({
  /**
   * The uids of the model in the archive (`from`) and in the app. `uid` null: the app no longer has the model, so the
   * documents are not imported.
   */
  from: z.string(),
  uid: z.string().nullable(),
  name: z.string(),
  /**
   * Number of documents that need no import: unchanged in the source since the last import, or equal to the document in
   * the app.
   */
  unchanged: z.int(),
  /**
   * Whether deletions in the source can be detected. False if the archive is incomplete or contains only copies of this
   * model's documents, if the app no longer has the model, and for imports into an app.
   */
  knowsGone: z.boolean(),
  /** The first 200 keys of values for which the model has no field. These values are not imported. */
  unknownFields: z.array(z.string()),
})

/**
 * Why a new model or field cannot be created:
 * - `lacksTarget`: it names a model or custom type missing here.
 * - `taken`: its uid was used since the plan.
 * - `tooMany`: the model or custom type already has 200 fields.
 * - `gone`: its model or custom type was deleted.
 * - `invalid`: its settings are invalid here for any other reason.
 */
const makingProblems = ['lacksTarget', 'taken', 'tooMany', 'gone', 'invalid'] as const
export type MakingProblem = (typeof makingProblems)[number]

/**
 * `takes`: whether a new part of the source is created. `outcome`: the result. null: the import has not created parts
 * yet. `left`: not chosen. `refused`: not possible; the reason is in `problem`.
 */
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
  /** The first 20 names. */
  examples: z.array(z.string()),
})
export type NamedCount = z.infer<typeof namedCountSchema>

/**
 * Parts of an exported app that an import into an app leaves out:
 * - `lacksRight`: views, because the caller may not manage them.
 * - `tooMany`: views, because the limit of views is reached.
 * - `invalid`: views, because their settings are not possible here.
 * - `modelExists`: views that the app lacks, of models that it already had.
 * - `givesRights`: roles that the app lacks.
 * - `latestOnly`: all revisions, because only the current state is imported.
 */
const notImportedSchema = namedCountSchema.extend({
  what: z.enum(['views', 'roles', 'revisions']),
  why: z.enum(['lacksRight', 'tooMany', 'invalid', 'modelExists', 'givesRights', 'latestOnly']),
})
export type NotImported = z.infer<typeof notImportedSchema>

const additionsSchema = z.object({
  models: z.array(newModelSchema),
  parts: z.array(grownPartSchema),
  /** Custom types that new fields may use. They are created together with a new field that uses them. */
  customTypes: z.array(plannedCustomTypeSchema),
  views: namedCountSchema,
})
export type Additions = z.infer<typeof additionsSchema>

/** Returns whether any addition is chosen to be created. */
export const takesAny = ({ models, parts }: Pick<Additions, 'models' | 'parts'>): boolean =>
  [...models, ...parts.flatMap(({ fields }) => fields)].some(({ takes }) => takes)

/** The differences between the source and the app. For an update: since the last import or update. */
export const moveChangesSchema = z.object({
  source: anySourceSchema,
  app: movePlanSchema.shape.app,
  /**
   * Number of documents that can be imported, and of files that are missing or different here. Documents of new models
   * count only for imports into an app.
   */
  counts: movePlanSchema.shape.counts,
  models: z.array(changesOfModelSchema),
  /** New models and fields of the source. The chosen ones are created before documents are imported. */
  additions: additionsSchema,
  /**
   * uids of new models of the source that are already taken by other models of the app. These models are not imported.
   */
  newModels: z.array(z.string()),
  /** Models of the app that the archive lacks, by their uid in the source. Empty for imports into an app. */
  missingModels: z.array(z.string()),
  /**
   * Parts of an exported app that are left out. Before the start: parts that the caller cannot import. Afterwards:
   * parts that were not imported. Empty for other sources.
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
 * Imports into an app report every differing file as `both`.
 */
const fileKinds = ['changed', 'both'] as const
export type MoveFileKind = (typeof fileKinds)[number]

const fileCountSchema = z.object({
  kind: z.enum(fileKinds),
  takes: z.boolean(),
  outcome: z.enum(moveOutcomes).nullable(),
  /** Error code of the refusal. null: not refused. */
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
  /** Error code of the refusal. null: not refused. */
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
  /** Files that differ from the library's file with the same `_id`. Empty for archives of Imori. */
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
    /** Whether files that were changed on both sides are replaced by the file of the source. */
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
    description:
      'After the update, the response contains its outcomes. Requires the rights to read and write ' +
      'every document of the app (403). 404 before the file is checked, and for migrations that are not ' +
      'updates.',
    permission: 'app.create',
    programs: 'memberKey',
    response: changesAnswer,
  }),
  listChangedDocuments: endpoint('GET /api/project/{p}/move/{id}/changes/documents', {
    summary: 'List the documents that differ between the file of an update and the app',
    description:
      'Ordered by model and `_id`. The list can be filtered by kind and by outcome. Requires the rights ' +
      'to read and write every document of the app (403). 404 for migrations that are not updates.',
    permission: 'app.create',
    programs: 'memberKey',
    query: changedDocumentsQuery,
    response: changedDocumentsAnswer,
  }),
  chooseMoveChanges: endpoint('PUT /api/project/{p}/move/{id}/changes', {
    audit: { act: 'move.plan' },
    summary: 'Choose which documents and fields an update overwrites or adds',
    description:
      'The body contains choices for all documents of a kind (`both`, `gone`), and then choices for ' +
      'single documents. Without a choice, these documents stay unchanged; documents that are new or ' +
      'changed only in the source are imported. `files` chooses whether files that were replaced on ' +
      'both sides come from the source. New models and fields are created with the chosen type, unless ' +
      'they are excluded. `states` and `confirmed` are only for imports into an app. Requires the ' +
      'rights to read and write every document of the app (403). 400 lists every invalid choice. 409 ' +
      '`MoveIsNotReady` unless the state is `planned`.',
    permission: 'app.create',
    programs: 'memberKey',
    body: changesChoiceBody,
    response: successSchema,
  }),
}
