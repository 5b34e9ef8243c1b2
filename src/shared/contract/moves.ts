import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { customTypeInput } from './custom-types.ts'
import { endpoint } from './endpoint.ts'
import { jobSchema } from './jobs.ts'
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
 * `wrapped` (a single value as a list of one).
 */
export const moveDifferences = [
  'asText',
  'asJson',
  'sanitized',
  'rendered',
  'normalized',
  'emptied',
  'wrapped',
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

const plannedFieldSchema = z.object({
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

const plannedModelSchema = z.object({
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

const plannedCustomTypeSchema = z.object({
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
  /** Contents that cannot be read stay behind. */
  unreadableContents: 'warning',
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
  /** Numbers with more digits than a number has are kept as text. */
  longNumbers: 'note',
  /** HTML that loses scripts and the like. */
  sanitizedHtml: 'note',
  /** A required title is missing: such documents cannot be saved again before they have one. */
  emptyTitles: 'note',
  /** Nothing that the API tells: settings of fields, names, roles, views, revisions, web hooks, forms. */
  notInApi: 'note',
} as const
export type MoveProblemCode = keyof typeof moveProblems
const problemCodes = Object.keys(moveProblems) as [MoveProblemCode, ...MoveProblemCode[]]

const moveProblemSchema = z.object({
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

const appNamesSchema = z.object({ uid: z.string().max(64), name: storableText(100) })
const countsSchema = z.object({
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

/** What went on at the import and is other than it was: `examples` are `_id`s and addresses, up to ten. */
const reportSchema = z.object({
  documents: z.int(),
  assets: z.int(),
  problems: z.array(
    z.object({
      /**
       * `fileRefused`: the library does not take it (`params.reason`: a code of the catalogue); `fileTaken`: another file, or one in the trash, has
       * this `_id` and stays; `documentTooLarge`: imported, and too large to be saved again as it is; `valueLeftOut`: no
       * value of its field; `revisionLeftOut`: an old one of more than 32 MB that a document has.
       */
      code: z.enum(['fileRefused', 'fileTaken', 'documentTooLarge', 'valueLeftOut', 'revisionLeftOut']),
      path: z.string(),
      count: z.int(),
      examples: z.array(z.string()),
      params: z.record(z.string(), z.string()).exactOptional(),
    }),
  ),
})
export type MoveReport = z.infer<typeof reportSchema>

/**
 * Why what was uploaded was refused; `items`: what is wrong with it, the first hundred of `count`. `unsafeNames`: names of files lead out
 * of the zip; `unknownSource`: it is nothing that
 * can be brought along; `brokenSource`: it is, and cannot be read; `tooLarge`: it unpacks to far more than it is; `tooManyApps`: it holds
 * more apps than {@link mostApps}. Of updates: `otherSource`, it is not of the app that moved in; `olderArchive`, older than what was
 * brought last; `lacksViews`, without what is published, or without drafts; `appIsGone`.
 */
const refusalSchema = z.object({
  code: z.enum([
    'notFetched',
    'notAnArchive',
    'cutShort',
    'unsafeNames',
    'notFinished',
    'newerFormat',
    'damaged',
    'unknownSource',
    'brokenSource',
    'tooLarge',
    'otherSource',
    'olderArchive',
    'lacksViews',
    'appIsGone',
    'tooManyApps',
  ]),
  items: z.array(z.object({ kind: z.string(), what: z.string() })),
  count: z.int(),
})
export type MoveRefusal = z.infer<typeof refusalSchema>

/** Archives of one file, each of an app. */
export const mostApps = 100
/** Apps of one archive: those of a space lie in one together. */
const mostCarriedApps = 1000

export const storedMoveStates = [
  'uploading',
  'checking',
  'refused',
  'planned',
  'importing',
  'imported',
  'accepted',
  'undoing',
  'undone',
] as const
export type StoredMoveState = (typeof storedMoveStates)[number]

const anySourceSchema = z.discriminatedUnion('kind', [
  movePlanSchema.shape.source,
  carriedPlanSchema.shape.source,
])

/** One of several apps of a move, by the `_id` of the part that it is: a move with a plan and a report of its own. */
const partSchema = appNamesSchema.extend({
  _id: idSchema,
  kind: z.enum(['imori', ...moveSources]),
  /** False: it stays behind. */
  chosen: z.boolean(),
})

/**
 * Something that moves in. `refused`: there is nothing to be planned; `planned`, `undone`: it can be started; `imported`: it
 * can be undone as a whole until somebody accepts it.
 */
export const moveSchema = z.object({
  _id: idSchema,
  state: z.enum(storedMoveStates),
  /** The job of this state has failed or was cancelled, for this reason: it can go on from where it was. */
  stopped: z.object({ code: z.string(), message: z.string() }).nullable(),
  fileName: z.string(),
  /** Bytes, and how many of them have come. */
  fileSize: z.int(),
  received: z.int(),
  refusal: refusalSchema.nullable(),
  /** Where it comes from and what it becomes, once that is known. */
  source: anySourceSchema.nullable(),
  app: movePlanSchema.shape.app.nullable(),
  counts: movePlanSchema.shape.counts.nullable(),
  report: reportSchema.nullable(),
  /** The move whose app this one brings up to date; null: it makes one. */
  updates: idSchema.nullable(),
  /** How far the job of this state is; null: none is at work. */
  job: jobSchema.pick({ progress: true, secondsLeft: true, cancelRequested: true }).nullable(),
  createdAt: timeSchema,
  createdBy: z.object({ _id: idSchema, name: z.string() }).nullable(),
  startedAt: timeSchema.nullable(),
  finishedAt: timeSchema.nullable(),
  /** The apps of an archive that holds several; empty: it is one. */
  apps: z.array(partSchema),
  /** The move that this one is a part of: started, undone and accepted with the whole of it. */
  partOf: idSchema.nullable(),
})
export type Move = z.infer<typeof moveSchema>

/** One of several apps as it is planned: what is known of it at a glance; the rest is in its own plan. */
const plannedAppSchema = partSchema.extend({
  source: anySourceSchema,
  models: z.array(z.object({ uid: z.string(), name: z.string(), documents: z.int() })),
  counts: countsSchema,
  /** What stands in its way, and how many kinds of things are to be looked at besides. */
  problems: z.array(moveProblemSchema),
  warnings: z.int(),
})
export type PlannedApp = z.infer<typeof plannedAppSchema>

/**
 * `_id`s in one app that documents of another one have: Newt has no references between apps, and so has Imori. `here`: that one is in
 * the space already; otherwise it is in the same archive.
 */
const appLinkSchema = z.object({
  /** uid of the app in the archive. */
  app: z.string(),
  /** `article.author` */
  field: z.string(),
  to: z.object({ app: z.string(), here: z.boolean() }),
  count: z.int(),
  /** Up to ten `_id`s. */
  examples: z.array(z.string()),
})
export type AppLink = z.infer<typeof appLinkSchema>

const appsAnswer = z.object({ apps: z.array(plannedAppSchema), links: z.array(appLinkSchema) })

/** Which apps come along, and what they are called here. */
const appChoicesSchema = z
  .array(z.strictObject({ _id: idSchema, chosen: z.boolean(), ...appNamesSchema.shape }))
  .max(mostCarriedApps)
export type AppChoices = z.infer<typeof appChoicesSchema>

const anyPlanSchema = z.union([carriedPlanSchema, movePlanSchema])
const answer = z.object({ move: moveSchema })
/** Bytes of an archive that comes in one piece. */
export const largestSent = 200 * 1024 * 1024
const shows = ['fileName', 'state', 'app'] as const

/** Moving in from elsewhere: an archive (docs/archive-format.md), or an export that is converted to one, becomes an app. For who may make apps. */
export const moveEndpoints = {
  listMoves: endpoint('GET /api/project/{p}/move', {
    summary: 'What moves, or has moved, into the space, the newest first.',
    permission: 'app.create',
    programs: true,
    response: z.object({ moves: z.array(moveSchema) }),
  }),
  createMove: endpoint('POST /api/project/{p}/move', {
    idempotent: true,
    audit: { act: 'move.create', of: 'move', shows },
    summary:
      'Begin a move of a file of this name and size, to be sent next: an archive as a zip, or an export of another service. With ' +
      '`updates` a newer archive of the same app of Newt, for the app that it became.',
    permission: 'app.create',
    programs: true,
    body: z.strictObject({
      data: z.strictObject({
        fileName: storableText(255).min(1),
        fileSize: z.int().min(1).max(200_000_000_000),
        /** A finished move from Newt, whose app this archive brings up to date. */
        updates: idSchema.exactOptional(),
      }),
    }),
    response: answer,
  }),
  createMoveKey: endpoint('POST /api/project/{p}/move:key', {
    idempotent: { none: 'a key more does nothing' },
    audit: { act: 'move.key' },
    summary:
      'A key for the commands `import` and `verify-move`: acts as the caller, for moves of this space only, for twelve hours at most and as long as they are signed in. Sent as `Authorization: Bearer`.',
    permission: 'app.create',
    response: z.object({ key: z.string(), expiresAt: timeSchema }),
  }),
  getMove: endpoint('GET /api/project/{p}/move/{id}', {
    summary: 'One move and how far it is.',
    permission: 'app.create',
    programs: true,
    response: answer,
  }),
  signMoveUpload: endpoint('GET /api/project/{p}/move/{id}/signedUrl', {
    summary:
      'Where to PUT the archive within ten minutes, from its byte `received` on: `Content-Range` says so, and `HEAD` asks again.',
    permission: 'app.create',
    programs: true,
    response: z.object({
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      received: z.int(),
      expiresAt: timeSchema,
    }),
  }),
  confirmMoveUpload: endpoint('POST /api/project/{p}/move/{id}/signedUrl', {
    idempotent: true,
    audit: { act: 'move.check', of: 'move', shows },
    summary:
      'Everything was sent: it is opened, converted where it is no archive, checked and planned by a job.',
    permission: 'app.create',
    programs: true,
    response: answer,
  }),
  getMovePlan: endpoint('GET /api/project/{p}/move/{id}/plan', {
    summary: 'What the move is going to make, with what was corrected.',
    permission: 'app.create',
    programs: true,
    response: z.object({ plan: anyPlanSchema }),
  }),
  updateMovePlan: endpoint('PUT /api/project/{p}/move/{id}/plan', {
    audit: { act: 'move.plan' },
    summary:
      'Correct the plan: app, models and custom types as they are to be made, every field under the `from` that it has. Of an ' +
      'archive of Imori: the app’s names, and whether documents get new `_id`s.',
    permission: 'app.create',
    programs: true,
    body: z.strictObject({ data: z.union([carriedCorrectionsSchema, moveCorrectionsSchema]) }),
    response: z.object({ plan: anyPlanSchema }),
  }),
  getMoveApps: endpoint('GET /api/project/{p}/move/{id}/apps', {
    summary:
      'The apps of an archive that holds several, as they are planned, and which of them name documents of others. Each has a plan under its own `_id`.',
    permission: 'app.create',
    programs: true,
    response: appsAnswer,
  }),
  updateMoveApps: endpoint('PUT /api/project/{p}/move/{id}/apps', {
    audit: { act: 'move.plan' },
    summary:
      'Choose which apps come along and what they are called here. Those that are left out stay as they were.',
    permission: 'app.create',
    programs: true,
    body: z.strictObject({ data: appChoicesSchema }),
    response: appsAnswer,
  }),
  startMove: endpoint('POST /api/project/{p}/move/{id}/start', {
    idempotent: true,
    audit: { act: 'move.start', of: 'move', shows },
    summary: 'Make the app, or every chosen one, with its models, and import everything by a job.',
    permission: 'app.create',
    programs: true,
    response: answer,
  }),
  cancelMove: endpoint('POST /api/project/{p}/move/{id}/cancel', {
    idempotent: true,
    audit: { act: 'move.cancel', of: 'move', shows },
    summary:
      'Stop the job of a move at its next step. What was imported stays until it goes on or is undone.',
    permission: 'app.create',
    programs: true,
    response: answer,
  }),
  retryMove: endpoint('POST /api/project/{p}/move/{id}/retry', {
    idempotent: true,
    audit: { act: 'move.retry', of: 'move', shows },
    summary: 'Go on with a move that has stopped, from where it was.',
    permission: 'app.create',
    programs: true,
    response: answer,
  }),
  undoMove: endpoint('POST /api/project/{p}/move/{id}/undo', {
    idempotent: true,
    audit: { act: 'move.undo', of: 'move', shows },
    summary:
      'Take everything back that the move made: the app with all of its documents, and files that nothing else uses.',
    permission: 'app.create',
    programs: true,
    response: answer,
  }),
  acceptMove: endpoint('POST /api/project/{p}/move/{id}/accept', {
    idempotent: true,
    audit: { act: 'move.accept', of: 'move', shows },
    summary: 'Keep what was imported for good. The archive is removed from the server.',
    permission: 'app.create',
    programs: true,
    response: answer,
  }),
  deleteMove: endpoint('DELETE /api/project/{p}/move/{id}', {
    audit: { act: 'move.delete' },
    summary: 'Forget a move that is not under way, with its archive. What an accepted one has made stays.',
    permission: 'app.create',
    programs: true,
    response: successSchema,
  }),
  planAppImport: endpoint('POST /api/project/{p}/app/{a}/planImport', {
    idempotent: { none: 'a move more is seen, and can be forgotten' },
    audit: { act: 'move.create', of: 'move', shows },
    summary:
      'Begin a move with an archive (multipart, one part `file`, up to 200 MB; larger ones are sent to a move). It becomes a new app of the space: `{a}` stays as it is.',
    permission: 'app.create',
    body: { kind: 'multipart', files: 1, bytes: largestSent },
    transaction: 'own',
    maximumSeconds: 600,
    response: answer,
  }),
  importApp: endpoint('POST /api/project/{p}/app/{a}/import', {
    idempotent: true,
    audit: { act: 'move.create', of: 'move', shows },
    summary:
      'Begin a move with an archive that a job fetches from a public address. It is checked and planned; the move is started as others are. It becomes a new app of the space: `{a}` stays as it is.',
    permission: 'app.create',
    body: z.strictObject({ importUrl: z.url({ protocol: /^https?$/ }).max(4096) }),
    response: answer,
  }),
}
