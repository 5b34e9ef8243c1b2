import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { customTypeInput } from './custom-types.ts'
import { fieldInputSchema, modelInput } from './models.ts'

/** Why a guess was made: a code with a sentence of its own under `why` in the words of the feature. */
const reasonSchema = z.object({
  code: z.string().max(40),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
})
export type MoveReason = z.infer<typeof reasonSchema>

/**
 * How values differ from those that came, though nothing of them is lost: `asText` (numbers and the like as their text),
 * `asJson` (what has parts as JSON), `sanitized` (HTML without what may not be delivered), `rendered` (HTML made anew of its
 * Markdown), `normalized` (the same colour, emoji or moment written in another way), `emptied` (nothing, told in another way),
 * `wrapped` (a single value as a list of one), `shifted` (empty entries of lists, which only lists of texts keep), `leftOut` (numbers that are too
 * large or have too many digits; each is named).
 */
export const moveDifferences = [
  'asText',
  'asJson',
  'sanitized',
  'rendered',
  'normalized',
  'emptied',
  'wrapped',
  'shifted',
  'leftOut',
] as const
export type MoveDifference = (typeof moveDifferences)[number]

const typeChoiceSchema = z.object({
  /** `type`, `multiple` and the settings of the type, as they go into a field. */
  settings: z.looseObject({ type: z.string(), multiple: z.boolean() }),
  /** 0 to 1: how likely it is that the field was of this type. */
  confidence: z.number().min(0).max(1),
  why: reasonSchema,
  /** Kinds of differences to what came, with the number of values. */
  differences: z.array(z.object({ code: z.enum(moveDifferences), count: z.int() })),
})
export type MoveTypeChoice = z.infer<typeof typeChoiceSchema>

export const plannedFieldSchema = z.object({
  /** The key of its values in what is moved. */
  from: z.string(),
  /** As `createModel` takes it, its settings included. A correction changes this alone. */
  field: fieldInputSchema,
  /** Every type that keeps all values, the likeliest first: the plan's own choice. */
  choices: z.array(typeChoiceSchema),
  /** Up to three values as people read them, shortened. */
  samples: z.array(z.string()),
  /** Values that are there (of as many documents, or items of a custom type), and whether they allow these switches. */
  filled: z.int(),
  allows: z.object({ required: z.boolean(), unique: z.boolean() }),
})
export type PlannedField = z.infer<typeof plannedFieldSchema>

export const plannedModelSchema = z.object({
  /** Its uid in what is moved. */
  from: z.string(),
  ...modelInput,
  uid: z.string(),
  description: storableText(1000),
  fields: z.array(plannedFieldSchema),
  /** uid of the title field; null: none. */
  titleField: z.string().max(64).nullable(),
  /** `article.author`: the reference by which it was found; null: it was named. */
  foundBy: z.string().nullable(),
  /** `copies`: its file is missing, its documents are the copies in those that refer to them. */
  source: z.enum(['contents', 'copies']),
  /** Documents by the status that they are to have. */
  documents: z.object({
    draft: z.int(),
    published: z.int(),
    /** Published, with newer edits. */
    changed: z.int(),
    /** Drafts now, published once. */
    unpublished: z.int(),
  }),
})
export type PlannedModel = z.infer<typeof plannedModelSchema>

export const plannedCustomTypeSchema = z.object({
  /** Its uid in what is moved; null: nothing there names it. */
  from: z.string().nullable(),
  ...customTypeInput,
  uid: z.string(),
  description: storableText(1000),
  fields: z.array(plannedFieldSchema),
  /** How many values of it there are. */
  items: z.int(),
  /** Where: `article.sections`. */
  usedBy: z.array(z.string()),
})
export type PlannedCustomType = z.infer<typeof plannedCustomTypeSchema>

/**
 * What is wrong, and what that does: `stops`, the move cannot begin before it is put right; `warning`, something will be
 * other than it was; `note`, good to know. Their sentences stand under `problems` in the words of the feature.
 */
export const moveProblems = {
  /** The app's uid is taken in this space. */
  appUidTaken: 'stops',
  /** Another app that comes with the same archive is to have this uid, too. */
  appUidTwice: 'stops',
  /** `_id`s that documents of other apps of this space have already: both are kept, for an `_id` is one of its model. */
  documentIdsTaken: 'note',
  /** `_id`s that assets of this space have already; they are the same files or stay as they are. */
  assetIdsTaken: 'note',
  /** A uid that is a word of ours, or none that we take, was changed: `params.from`, `params.to`. */
  uidChanged: 'warning',
  /** A uid that is kept though it is a word that delivery will take for itself. */
  uidReserved: 'note',
  /** Contents that cannot be read stay behind. */
  unreadableContents: 'warning',
  /** Characters that no database keeps: NUL is left out, half a surrogate pair and what is no UTF-8 become U+FFFD. */
  replacedCharacters: 'warning',
  /** Documents that come, and are too large to be saved again as they are. */
  largeContents: 'warning',
  /** Contents that had no `_id` of their own get new ones. */
  idsMade: 'warning',
  /** More fields than a model may have, `params.maximum`: the rest stays behind. */
  tooManyFields: 'warning',
  /** References to documents that are not there. */
  brokenReferences: 'warning',
  /** One field refers to documents of more models than a field may: `params.models`, the first of them. */
  severalTargets: 'warning',
  /** A model that could not be read: its documents are copies from those that refer to them. */
  copiesOnly: 'warning',
  /** Contents that only some could see, or nobody yet (`private`, `password`, `scheduled` in WordPress), come as drafts. */
  restrictedContents: 'warning',
  /** Pictures and files that the archive does not have. */
  missingAssets: 'warning',
  /** What the archive itself says it lacks. */
  missingContents: 'warning',
  /** Values of one field are of kinds that only a text keeps together. */
  mixedKinds: 'warning',
  /** No document has a value: what the field was cannot be known, it becomes a text. */
  emptyFields: 'note',
  /** No document at all: fields of the model cannot be known. */
  emptyModels: 'note',
  /** Entries of lists in which there is nothing: they are left out, and those behind them move up. */
  emptyEntries: 'warning',
  /** Numbers with more digits than a number has are kept as text. */
  longNumbers: 'note',
  /** HTML that loses scripts and the like: the examples are kinds with how often (`<font> ×3`). */
  sanitizedHtml: 'warning',
  /** HTML of the editor Quill: lists by indent become lists in lists, alignment becomes a style. */
  quillHtml: 'note',
  /** A required title is missing: such documents cannot be saved again before they have one. */
  emptyTitles: 'note',
  /** Nothing that the API tells: settings of fields, names, roles, views, revisions, web hooks, forms. */
  notInApi: 'note',
} as const
export type MoveProblemCode = keyof typeof moveProblems
const problemCodes = Object.keys(moveProblems) as [MoveProblemCode, ...MoveProblemCode[]]

export const moveProblemSchema = z.object({
  code: z.enum(problemCodes),
  /** `article`, `article.author`, `article.sections.label`; `''`: all of it. */
  path: z.string(),
  count: z.int(),
  /** Up to ten: `_id`s, addresses, keys, shortened values. */
  examples: z.array(z.string()),
  params: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
})
export type MoveProblem = z.infer<typeof moveProblemSchema>

/** Where things move in from: Newt's API (an archive), or an export that was converted to one. */
export const moveSources = [
  'newt',
  'newt-export',
  'wordpress',
  'microcms',
  'contentful',
  'strapi',
  'directus',
  'markdown',
  'csv',
  'json',
] as const

export const appNamesSchema = z.object({ uid: z.string().max(64), name: storableText(100) })
export const countsSchema = z.object({
  documents: z.int(),
  /** Files of the media library that are made, and their bytes. */
  assets: z.int(),
  bytes: z.int(),
})

/** What a move is going to make, before anything is written. */
export const movePlanSchema = z.object({
  source: z.object({
    kind: z.enum(moveSources),
    space: z.string(),
    app: z.string(),
    /** As the archive says of itself (docs/archive-format.md). */
    status: z.enum(['complete', 'gaps', 'partial']),
    finishedAt: z.string(),
  }),
  app: appNamesSchema,
  models: z.array(plannedModelSchema),
  /** Each behind those that it is made of. */
  customTypes: z.array(plannedCustomTypeSchema),
  counts: countsSchema,
  problems: z.array(moveProblemSchema),
})
export type MovePlan = z.infer<typeof movePlanSchema>

const carriedNamesSchema = z.object({ uid: z.string(), name: z.string() })

/** The plan of an archive that an installation of Imori wrote: the app becomes what it was, nothing is guessed. */
export const carriedPlanSchema = z.object({
  source: z.object({
    kind: z.enum(['imori']),
    space: z.string(),
    app: z.string(),
    status: z.enum(['complete']),
    finishedAt: z.string(),
    /** Where it was written. */
    origin: z.string(),
    /** By whom: this installation, another one whose `key` that is, or nobody. */
    signature: z.object({ state: z.enum(['own', 'other', 'none']), key: z.string().nullable() }),
  }),
  app: appNamesSchema,
  /** Whether documents keep their `_id`s. */
  ids: z.enum(['kept', 'new']),
  models: z.array(
    carriedNamesSchema.extend({
      documents: z.int(),
      fields: z.array(carriedNamesSchema.extend({ type: z.string() })),
    }),
  ),
  customTypes: z.array(carriedNamesSchema),
  /** How many views of everybody's. */
  views: z.int(),
  roles: z.array(carriedNamesSchema),
  /** Left out: the archive holds no revisions. */
  revisions: z.int().exactOptional(),
  counts: countsSchema,
  problems: z.array(moveProblemSchema),
})
export type CarriedPlan = z.infer<typeof carriedPlanSchema>
/** Where something moves in from, whatever it is. */
export const anySourceSchema = z.discriminatedUnion('kind', [
  movePlanSchema.shape.source,
  carriedPlanSchema.shape.source,
])
export type AnyMovePlan = MovePlan | CarriedPlan
export const isCarried = (plan: AnyMovePlan): plan is CarriedPlan => plan.source.kind === 'imori'

/** What people may say of such a plan. */
export const carriedCorrectionsSchema = z.strictObject({
  app: carriedPlanSchema.shape.app,
  ids: carriedPlanSchema.shape.ids,
})
export type CarriedCorrections = z.infer<typeof carriedCorrectionsSchema>

/** What people may correct of a plan: names, uids of app and models, and of every field `field` and its place in the order. */
export const moveCorrectionsSchema = movePlanSchema.pick({ app: true, models: true, customTypes: true })
export type MoveCorrections = z.infer<typeof moveCorrectionsSchema>
