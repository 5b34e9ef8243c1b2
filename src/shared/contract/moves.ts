import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { jobErrorSchema, jobSchema } from './jobs.ts'
import {
  anySourceSchema,
  appNamesSchema,
  carriedCorrectionsSchema,
  carriedPlanSchema,
  chosenNamesSchema,
  countsSchema,
  moveCorrectionsSchema,
  movePlanSchema,
  moveProblemSchema,
  moveSources,
} from './move-plans.ts'

/** The effects of the import, and its differences from the source. `examples`: up to ten `_id`s and addresses. */
const reportSchema = z.object({
  documents: z.int(),
  assets: z.int(),
  problems: z.array(
    z.object({
      /**
       * The kind of problem:
       * - `fileRefused`: the library does not accept the file (`params.reason`: an error code). Its bytes are kept as a
       *   plain file, and sites receive its old address.
       * - `fileElsewhere`: the archive does not contain the file. Sites receive its old address.
       * - `fileTaken`: an existing file, possibly in the trash, has this `_id` and is kept.
       * - `documentTooLarge`: imported, but too large to be saved again unchanged.
       * - `valueLeftOut`: not a valid value of its field.
       * - `revisionLeftOut`: an old revision of more than 32 MB.
       * - `htmlRemoved`: HTML that the policy removes (`params.kind`: `<font>`).
       * - `quillHtml`: indented lists became nested lists, other indents and alignment became styles.
       */
      code: z.enum([
        'fileRefused',
        'fileElsewhere',
        'fileTaken',
        'documentTooLarge',
        'valueLeftOut',
        'revisionLeftOut',
        'htmlRemoved',
        'quillHtml',
      ]),
      path: z.string(),
      count: z.int(),
      examples: z.array(z.string()),
      params: z.record(z.string(), z.string()).exactOptional(),
    }),
  ),
  /**
   * Number of contents of a new app by the status that they got. `leftOut`: not imported because of their state at the
   * source. Omitted for other imports.
   */
  statuses: z.object({ published: z.int(), draft: z.int(), leftOut: z.int() }).exactOptional(),
})
export type MoveReport = z.infer<typeof reportSchema>

/**
 * Why an upload was refused. `items`: the first hundred of `count` problems.
 * - `unsafeNames`: file names that lead out of the zip.
 * - `unknownSource`: no supported source.
 * - `brokenSource`: a supported source that cannot be read.
 * - `tooComplex`: too many keys, levels or parts.
 * - `tooLarge`: it unpacks to far more than its size.
 * - `tooManyApps`: more than {@link mostApps}.
 *
 * For updates:
 * - `otherSource`: from another app.
 * - `olderArchive`: older than the last import.
 * - `lacksViews`: lacks the published or the draft state.
 * - `appIsGone`: the app was deleted.
 *
 * For imports into an app:
 * - `severalApps`: several apps, none with the uid of this app.
 * - `appIsGone`: the app was deleted.
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
    'tooComplex',
    'tooLarge',
    'otherSource',
    'olderArchive',
    'lacksViews',
    'appIsGone',
    'severalApps',
    'tooManyApps',
  ]),
  items: z.array(z.object({ kind: z.string(), what: z.string() })),
  count: z.int(),
})
export type MoveRefusal = z.infer<typeof refusalSchema>

/** Maximum number of apps (archives) in one file. */
export const mostApps = 100
/** Maximum number of apps in one archive. An archive of a space contains all its apps. */
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

/**
 * The kind of an import, which determines its steps:
 * - `unknown`: the file is not examined yet, or was refused.
 * - `contents`: contents of another service, whose models are inferred.
 * - `carried`: an app written by Imori.
 * - `several`: several apps, each with its own plan.
 * - `update`: updates an imported app from its source.
 * - `import`: imports into an app that the import did not create.
 */
export const moveKinds = ['unknown', 'contents', 'carried', 'several', 'update', 'import'] as const
export type MoveKind = (typeof moveKinds)[number]

/** For each kind: whether it is requested in a space, or in the app that it imports into. */
export const movePlaces: Record<MoveKind, 'space' | 'app'> = {
  unknown: 'space',
  contents: 'space',
  carried: 'space',
  several: 'space',
  update: 'space',
  import: 'app',
}

/**
 * One of several apps of an import. `_id`: the part of the import for this app, which is an import with its own plan
 * and report.
 */
const partSchema = appNamesSchema.extend({
  _id: idSchema,
  kind: z.enum(['imori', ...moveSources]),
  /** Whether this app is imported. */
  chosen: z.boolean(),
})

/**
 * An import. `refused`: no plan is possible. `planned`, `undone`: it can be started. `imported`: it can be undone as a
 * whole until a user accepts it.
 */
export const moveSchema = z.object({
  _id: idSchema,
  kind: z.enum(moveKinds),
  state: z.enum(storedMoveStates),
  /** Why the job of this state failed or was cancelled. The job can be resumed. */
  stopped: jobErrorSchema.nullable(),
  fileName: z.string(),
  /** Size in bytes, and number of bytes received so far. */
  fileSize: z.int(),
  received: z.int(),
  refusal: refusalSchema.nullable(),
  /** The source of the import, and the names of its app. null: not known yet. */
  source: anySourceSchema.nullable(),
  app: movePlanSchema.shape.app.nullable(),
  counts: movePlanSchema.shape.counts.nullable(),
  report: reportSchema.nullable(),
  /**
   * The import whose app this import updates. This import itself if it imports into an existing app. null: it creates
   * an app.
   */
  updates: idSchema.nullable(),
  /** The running job of this state. null: none is running. */
  job: jobSchema
    .pick({ progress: true, secondsLeft: true, cancelRequested: true, failures: true, error: true })
    .nullable(),
  createdAt: timeSchema,
  createdBy: z.object({ _id: idSchema, name: z.string() }).nullable(),
  startedAt: timeSchema.nullable(),
  finishedAt: timeSchema.nullable(),
  /** The apps of an archive with several apps. Empty if it has one app. */
  apps: z.array(partSchema),
  /**
   * The import with several apps that this import is part of. The parts are started, undone and accepted with the
   * whole.
   */
  partOf: idSchema.nullable(),
})
export type Move = z.infer<typeof moveSchema>

/** A summary of one of several planned apps. The details are in its own plan. */
const plannedAppSchema = partSchema.extend({
  source: anySourceSchema,
  models: z.array(z.object({ uid: z.string(), name: z.string(), documents: z.int() })),
  counts: countsSchema,
  /** Problems that prevent its import, and the number of other kinds of problems. */
  problems: z.array(moveProblemSchema),
  warnings: z.int(),
})
export type PlannedApp = z.infer<typeof plannedAppSchema>

/**
 * `_id`s in one app that belong to documents of another app. Neither Newt nor Imori supports references between apps.
 * `here`: the other app is already in the space. Otherwise it is in the same archive.
 */
const appLinkSchema = z.object({
  /** uid of the app in the archive. */
  app: z.string(),
  /** Path of the field: `article.author`. */
  field: z.string(),
  to: z.object({ app: z.string(), here: z.boolean() }),
  count: z.int(),
  /** Up to ten `_id`s. */
  examples: z.array(z.string()),
})
export type AppLink = z.infer<typeof appLinkSchema>

const appsAnswer = z.object({ apps: z.array(plannedAppSchema), links: z.array(appLinkSchema) })

/** Which apps are imported, and their names in this space. */
const appChoicesSchema = z
  .array(z.strictObject({ _id: idSchema, chosen: z.boolean(), ...chosenNamesSchema.shape }))
  .max(mostCarriedApps)
export type AppChoices = z.infer<typeof appChoicesSchema>

const anyPlanSchema = z.union([carriedPlanSchema, movePlanSchema])
export const moveAnswer = z.object({ move: moveSchema })
const answer = moveAnswer
/** Maximum bytes of an archive, and of all uploaded or kept archives of an account. */
export const maxArchiveBytes = 200_000_000_000
/** Maximum bytes of an archive sent in one request. */
export const largestSent = 200 * 1024 * 1024
export const moveShows = ['fileName', 'state', 'app'] as const
const shows = moveShows

/**
 * Imports that create an app from an archive (docs/archive-format.md), or from an export that is converted to an
 * archive. They require the right to create apps. Imports of other members require the right to manage the apps that
 * they created (decisions/0078).
 */
export const moveEndpoints = {
  listMoves: endpoint('GET /api/project/{p}/move', {
    summary:
      'What moves, or has moved, into the space, the newest first: what the caller began, and moves all of whose apps they may manage. ' +
      'Any other move is 404 to every call.',
    permission: 'app.create',
    programs: true,
    response: z.object({ moves: z.array(moveSchema) }),
  }),
  createMove: endpoint('POST /api/project/{p}/move', {
    idempotent: true,
    audit: { act: 'move.create', of: 'move', shows },
    summary:
      'Begin a move of a file of this name and size, to be sent next: an archive as a zip, or an export of another service. With ' +
      '`updates` a newer archive of the same app of Newt, for the app that it became. An account may have 100 archives and 200 GB, uploaded or ' +
      'kept, over all its spaces; more are refused with `TooManyArchives`.',
    permission: 'app.create',
    programs: true,
    body: z.strictObject({
      data: z.strictObject({
        fileName: storableText(255).min(1),
        fileSize: z.int().min(1).max(maxArchiveBytes),
        /** A finished import from Newt, whose app this archive updates. */
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
    letsWrite: true,
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
      'Take everything back that the move made: the app with all of its documents, also those written since, and files that nothing ' +
      'else uses. Asks for the right to manage the app, of who began the move too.',
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
}
