import { z } from 'zod'
import { idSchema, successSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { movePlanSchema } from './move-plans.ts'

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
  /** Keys of values for which the model has no field (any more): they are not brought. */
  unknownFields: z.array(z.string()),
})

/** What changed where an app came from since that, or since its last update. */
export const moveChangesSchema = z.object({
  source: movePlanSchema.shape.source,
  app: movePlanSchema.shape.app,
  /** Documents that can be brought, and files that are not here. */
  counts: movePlanSchema.shape.counts,
  models: z.array(changesOfModelSchema),
  /** uids of models that are new there: they are not brought. */
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

const answer = z.object({
  changes: moveChangesSchema,
  counts: z.array(countSchema),
})

/** Bringing an app that moved in up to date with where it came from. Begun by `createMove` with `updates`. */
export const moveUpdateEndpoints = {
  getMoveChanges: endpoint('GET /api/project/{p}/move/{id}/changes', {
    summary: 'What an update brings, counted by model and kind; when it is done, what became of it.',
    permission: 'app.create',
    programs: true,
    response: answer,
  }),
  listChangedDocuments: endpoint('GET /api/project/{p}/move/{id}/changes/documents', {
    summary: 'The documents of an update that are not as they were, of one kind or with one outcome.',
    permission: 'app.create',
    programs: true,
    query: z.object({
      kind: z.enum(moveChangeKinds).exactOptional(),
      outcome: z.enum(moveOutcomes).exactOptional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      skip: z.coerce.number().int().min(0).max(1_000_000).default(0),
    }),
    response: z.object({ documents: z.array(changedDocumentSchema), total: z.int() }),
  }),
  chooseMoveChanges: endpoint('PUT /api/project/{p}/move/{id}/changes', {
    audit: { act: 'move.plan' },
    summary:
      'Choose whether what is there is taken: for all documents of a kind (`both`, `gone`), then one by one. Until somebody does, ' +
      'they are kept as they are here.',
    permission: 'app.create',
    programs: true,
    body: z.strictObject({
      data: z.strictObject({
        kinds: z
          .array(z.strictObject({ kind: z.enum(chosenKinds), takes: z.boolean() }))
          .max(chosenKinds.length)
          .default([]),
        documents: z
          .array(z.strictObject({ model: z.string().max(64), _id: idSchema, takes: z.boolean() }))
          .max(1000)
          .default([]),
      }),
    }),
    response: successSchema,
  }),
}
