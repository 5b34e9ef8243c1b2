import { z } from 'zod'
import { idSchema, successSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import {
  anySourceSchema,
  movePlanSchema,
  plannedCustomTypeSchema,
  plannedFieldSchema,
  plannedModelSchema,
} from './move-plans.ts'

/**
 * How a document differs. `new`: it is there and not here; `changed`: there, and here it is as it was brought; `both`: there and here;
 * `gone`: it is not there any more, and here it is; `removed`: changed there, and deleted here.
 */
export const moveChangeKinds = ['new', 'changed', 'both', 'gone', 'removed'] as const
export type MoveChangeKind = (typeof moveChangeKinds)[number]

/** Kinds of which somebody chooses whether what is there is taken. Of the others it always is (`new`, `changed`), or never. */
export const chosenKinds = ['both', 'gone'] as const satisfies readonly MoveChangeKind[]

/**
 * What became of a document: `taken`, it is as it is there (in the trash when it is gone there); `kept`, as it was here; `edited`, somebody
 * has written it since the plan, it stays; `refused`: it cannot be stored, for the reason `problem`.
 */
export const moveOutcomes = ['taken', 'kept', 'edited', 'refused'] as const
export type MoveOutcome = (typeof moveOutcomes)[number]

const changesOfModelSchema = z.object({
  /** Its uid in the archive, and here; null: the app has none of it (any more), its documents are not brought. */
  from: z.string(),
  uid: z.string().nullable(),
  name: z.string(),
  /** Documents that are there as they were when they were brought. */
  unchanged: z.int(),
  /** Is known what is gone there? Not when the archive lacks contents, or has this model as copies only. */
  knowsGone: z.boolean(),
  /** Keys of values for which the model has no field any more: they are not brought. */
  unknownFields: z.array(z.string()),
})

/**
 * Why something that is new there cannot be made. `lacksTarget`: it names a model or custom type that is not here; `taken`: somebody has
 * made one of that uid since the plan; `tooMany`: there are as many fields as there may be; `gone`: somebody has deleted where it was to be.
 */
const makingProblems = ['lacksTarget', 'taken', 'tooMany', 'gone', 'invalid'] as const
export type MakingProblem = (typeof makingProblems)[number]

/** Of something that is new there, whether it is made, and what became of that: `left`, as it was chosen; `refused`: it cannot be. */
const making = {
  takes: z.boolean(),
  outcome: z.enum(['made', 'left', 'refused']).nullable(),
  problem: z.enum(makingProblems).nullable(),
}

const newFieldSchema = plannedFieldSchema.extend({
  ...making,
  /** Key of the one that it follows there; null: it is the first. */
  after: z.string().nullable(),
})
export type NewField = z.infer<typeof newFieldSchema>

const newModelSchema = plannedModelSchema.extend({ ...making, fields: z.array(newFieldSchema) })
export type NewModel = z.infer<typeof newModelSchema>

const partKinds = ['model', 'customType'] as const

/** A model or custom type of the app that has new fields there. */
const grownPartSchema = z.object({
  kind: z.enum(partKinds),
  /** As in the archive; null: nothing there names it. */
  from: z.string().nullable(),
  uid: z.string(),
  name: z.string(),
  fields: z.array(newFieldSchema),
})
export type GrownPart = z.infer<typeof grownPartSchema>

const additionsSchema = z.object({
  models: z.array(newModelSchema),
  parts: z.array(grownPartSchema),
  /** Custom types that new fields may name; made for those that are. */
  customTypes: z.array(plannedCustomTypeSchema),
})
export type Additions = z.infer<typeof additionsSchema>

/** What changed where an app came from since that, or since its last update. */
export const moveChangesSchema = z.object({
  source: anySourceSchema,
  app: movePlanSchema.shape.app,
  /** Documents that can be brought, and files that are not here or are others there. */
  counts: movePlanSchema.shape.counts,
  models: z.array(changesOfModelSchema),
  /** Models and fields that are new there: made before documents are brought, as far as they are taken. */
  additions: additionsSchema,
  /** uids of models that are new there, and of which the app has another one: they are not brought. */
  newModels: z.array(z.string()),
  /** uids of models of the app that the archive does not have. */
  missingModels: z.array(z.string()),
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

/** How a file differs that is another one there: `changed`, here it is as it was brought; `both`: somebody has replaced it here, too. */
const fileKinds = ['changed', 'both'] as const
export type MoveFileKind = (typeof fileKinds)[number]

const fileCountSchema = z.object({
  kind: z.enum(fileKinds),
  takes: z.boolean(),
  outcome: z.enum(moveOutcomes).nullable(),
  /** Code of what refused them. */
  problem: z.string().nullable(),
  count: z.int(),
  /** The first ten of them. */
  examples: z.array(z.object({ _id: idSchema, fileName: z.string() })),
})
export type MoveFileCount = z.infer<typeof fileCountSchema>

const changedDocumentSchema = z.object({
  _id: idSchema,
  title: z.string(),
  /** uid of its model here. */
  model: z.string(),
  kind: z.enum(moveChangeKinds),
  takes: z.boolean(),
  outcome: z.enum(moveOutcomes).nullable(),
  /** Code of what refused it. */
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
        /** Of the model or custom type, as it is called here. */
        uid: z.string().max(64),
        from: z.string().max(200),
        takes: z.boolean().exactOptional(),
        /** Which of its `choices` it becomes. */
        choice: z.int().min(0).exactOptional(),
      }),
    )
    .max(1000)
    .default([]),
})
export type AdditionChoice = z.output<typeof additionChoiceSchema>

export const changesAnswer = z.object({
  changes: moveChangesSchema,
  counts: z.array(countSchema),
  /** Files that are others there, under the `_id`s that they had. */
  files: z.array(fileCountSchema),
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
    /** Whether files are taken that are others on both sides. */
    files: z.strictObject({ takes: z.boolean() }).exactOptional(),
  }),
})

export type ChangesChoice = z.input<typeof changesChoiceBody>['data']

/** Bringing an app that moved in up to date with where it came from. Begun by `createMove` with `updates`. */
export const moveUpdateEndpoints = {
  getMoveChanges: endpoint('GET /api/project/{p}/move/{id}/changes', {
    summary: 'What an update brings, counted by model and kind; when it is done, what became of it.',
    permission: 'app.create',
    programs: true,
    response: changesAnswer,
  }),
  listChangedDocuments: endpoint('GET /api/project/{p}/move/{id}/changes/documents', {
    summary: 'The documents of an update that are not as they were, of one kind or with one outcome.',
    permission: 'app.create',
    programs: true,
    query: changedDocumentsQuery,
    response: changedDocumentsAnswer,
  }),
  chooseMoveChanges: endpoint('PUT /api/project/{p}/move/{id}/changes', {
    audit: { act: 'move.plan' },
    summary:
      'Choose whether what is there is taken: for all documents of a kind (`both`, `gone`), then one by one. Until somebody does, ' +
      'they are kept as they are here. New models and fields are made unless they are left, of the type that is chosen.',
    permission: 'app.create',
    programs: true,
    body: changesChoiceBody,
    response: successSchema,
  }),
}
