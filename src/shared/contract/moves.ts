import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { idSchema, maxSignedUploadBytes, successSchema, timeSchema } from './common.ts'
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

/**
 * The number of imported documents and assets, and differences from the source. `examples`: up to ten `_id`s, URLs or
 * file names.
 */
const reportSchema = z.object({
  documents: z.int(),
  assets: z.int(),
  problems: z.array(
    z.object({
      /**
       * The kind of problem:
       * - `fileRefused`: the library does not accept the file (`params.reason`: an error code). A file of another
       *   service is kept as a plain file, and sites receive its old URL. A file of an archive of Imori is not
       *   imported; the reason `NotFound` means that the archive does not contain it.
       * - `fileElsewhere`: the archive of another service does not contain the file. Sites receive its old URL.
       * - `fileTaken`: an existing file, possibly in the trash, has this `_id` and is kept.
       * - `documentTooLarge`: the document is imported, but is too large to be saved again unchanged (more than 1 MB).
       * - `valueLeftOut`: the value is not valid for its field.
       * - `revisionLeftOut`: the oldest revisions of a document are left out, because its revisions exceed 32 Mi
       *   characters of JSON.
       * - `htmlRemoved`: the policy removes this HTML (`params.kind`: `<font>`).
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
   * source. Omitted for archives of Imori, updates and imports into an existing app.
   */
  statuses: z.object({ published: z.int(), draft: z.int(), leftOut: z.int() }).exactOptional(),
})
export type MoveReport = z.infer<typeof reportSchema>

/**
 * Why an upload was refused. `items`: the first hundred of `count` problems.
 * - `notFetched`: the URL did not return a file, or the file is too large.
 * - `notAnArchive`: no readable archive.
 * - `cutShort`: a zip that cannot be opened, probably because it was truncated.
 * - `unsafeNames`: file names that lead out of the zip.
 * - `notFinished`: the export that wrote the archive was not finished.
 * - `newerFormat`: an archive of a newer format than this version reads.
 * - `damaged`: files differ from the manifest, or their contents contradict each other.
 * - `unknownSource`: no supported source.
 * - `brokenSource`: a supported source that cannot be read.
 * - `tooComplex`: too many keys, levels or parts, or processing exceeds the limit of memory or time.
 * - `tooLarge`: it unpacks to far more than its size, or verifying it exceeds the limit of memory or time.
 * - `tooManyApps`: more than {@link mostApps}.
 *
 * For updates:
 * - `otherSource`: from another app, or the first import of the app was deleted.
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
/** Maximum number of apps in `updateMoveApps`. The archive of a space contains all apps of the space. */
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
 * - `unknown`: the file is not checked yet, or was refused.
 * - `contents`: creates an app from contents of another service, whose models are inferred.
 * - `carried`: creates an app from an archive written by Imori.
 * - `several`: creates several apps, each with its own plan.
 * - `update`: updates an imported app from its source.
 * - `import`: imports into an app that already exists.
 */
export const moveKinds = ['unknown', 'contents', 'carried', 'several', 'update', 'import'] as const
export type MoveKind = (typeof moveKinds)[number]

/** Whether imports of this kind belong to the space, or to the app that they import into. */
export const movePlaces: Record<MoveKind, 'space' | 'app'> = {
  unknown: 'space',
  contents: 'space',
  carried: 'space',
  several: 'space',
  update: 'space',
  import: 'app',
}

/**
 * One of several apps of an import. `_id` identifies the part of the import for this app. That part is an import with
 * its own plan and report.
 */
const partSchema = appNamesSchema.extend({
  _id: idSchema,
  kind: z.enum(['imori', ...moveSources]),
  chosen: z.boolean(),
})

/**
 * An import. `refused`: no plan is possible. `planned`, `undone`: it can be started. `imported`: it can be undone as a
 * whole until a user accepts it. `accepted`: it is final. Updates and imports into an existing app are `accepted` as
 * soon as they are finished.
 */
export const moveSchema = z.object({
  _id: idSchema,
  kind: z.enum(moveKinds),
  state: z.enum(storedMoveStates),
  /**
   * Why the last job of this state failed or was cancelled. The job can be resumed. null: it neither failed nor was
   * cancelled.
   */
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
  /** The job of this state while it waits or runs, otherwise null. */
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

/** A summary of one of several planned apps. The plan of the app contains the details. */
const plannedAppSchema = partSchema.extend({
  source: anySourceSchema,
  models: z.array(z.object({ uid: z.string(), name: z.string(), documents: z.int() })),
  counts: countsSchema,
  /** Problems that prevent the import of the app. `warnings`: number of kinds of warnings. */
  problems: z.array(moveProblemSchema),
  warnings: z.int(),
})
export type PlannedApp = z.infer<typeof plannedAppSchema>

/**
 * `_id`s in one app that belong to documents of another app. Neither Newt nor Imori supports references between apps.
 * `here`: whether the other app is already in the space. Otherwise it is in the same file. Archives of Imori are not
 * checked.
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

const appChoicesSchema = z
  .array(z.strictObject({ _id: idSchema, chosen: z.boolean(), ...chosenNamesSchema.shape }))
  .max(mostCarriedApps)
export type AppChoices = z.infer<typeof appChoicesSchema>

const anyPlanSchema = z.union([carriedPlanSchema, movePlanSchema])
export const moveAnswer = z.object({ move: moveSchema })
const answer = moveAnswer
/** Maximum bytes of an archive, and of all uploaded or kept archives of an account. */
export const maxArchiveBytes = maxSignedUploadBytes
/** Maximum bytes of an archive sent in one request. */
export const largestSent = 200 * 1024 * 1024
export const moveShows = ['fileName', 'state', 'app'] as const
const shows = moveShows

/**
 * Imports that create an app from an archive (docs/archive-format.md), or from an export that is converted to an
 * archive. They require the right to create apps. Members who did not start an import can use it if they manage all of
 * its apps. While it has no app, they must manage every app of the space (docs/decisions/0078).
 */
export const moveEndpoints = {
  listMoves: endpoint('GET /api/project/{p}/move', {
    summary: 'List migrations into the space, newest first',
    description:
      'At most 200. Contains migrations that the caller started, and those whose apps the caller can ' +
      'manage; for callers who can manage every app, all of them. All endpoints return 404 for any ' +
      'other migration. Imports into an existing app are not included.',
    permission: 'app.create',
    programs: 'memberKey',
    response: z.object({ moves: z.array(moveSchema) }),
  }),
  createMove: endpoint('POST /api/project/{p}/move', {
    idempotent: true,
    audit: { act: 'move.create', of: 'move', shows },
    summary: 'Create a migration for a file of this name and size',
    description:
      'The file is uploaded next: an archive as a zip, or an export of another service. With `updates`, ' +
      'a newer archive of the same Newt app updates the app created from it; this requires the rights ' +
      'to read and write every document of the app (403), and returns 409 `MoveIsNotReady` unless that ' +
      "migration is imported from Newt's API and has no unfinished update. Limits per account over all " +
      'its spaces: 100 archives and 200 GB, uploaded or kept. More are refused with 409 ' +
      '`TooManyArchives`. An unfinished upload counts until 24 hours after its last URL.',
    permission: 'app.create',
    programs: 'memberKey',
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
    summary: 'Create a key for the commands `import` and `verify-move`',
    description:
      'The key acts as the caller, for migrations of this space only, for twelve hours, but no longer ' +
      "than the caller's session. It is sent as `Authorization: Bearer`.",
    permission: 'app.create',
    needsSession: true,
    response: z.object({ key: z.string(), expiresAt: timeSchema }),
  }),
  getMove: endpoint('GET /api/project/{p}/move/{id}', {
    summary: 'Get a migration and its progress',
    description:
      '`stopped` and `job` describe the job of the current state. `apps` lists the parts of an archive ' +
      'with several apps.',
    permission: 'app.create',
    programs: 'memberKey',
    response: answer,
  }),
  signMoveUpload: endpoint('GET /api/project/{p}/move/{id}/signedUrl', {
    letsWrite: true,
    summary: 'Get a URL to upload the archive of a migration',
    description:
      'The URL accepts a PUT for ten minutes, from byte `received` on. `Content-Range` has the ' +
      'position; `HEAD` returns it. 409 `UploadIsFinished` after the confirmation, and ' +
      '`TooManyArchives` as for `createMove`.',
    permission: 'app.create',
    programs: 'memberKey',
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
    summary: 'Confirm that the archive of a migration is uploaded completely',
    description:
      'A job opens the file, converts it if it is not an archive, checks it and plans the migration. A ' +
      'repeated call changes nothing. 409 `UploadIsIncomplete` if bytes are missing. 429 `TooManyMoves` ' +
      'if ten archives are being checked or wait for it, in the space or for the account.',
    permission: 'app.create',
    programs: 'memberKey',
    response: answer,
  }),
  getMovePlan: endpoint('GET /api/project/{p}/move/{id}/plan', {
    summary: 'Get the plan of a migration with its corrections',
    description:
      'If the migration can be started, `problems` contains its current conflicts. 404 if there is no ' +
      'plan of one app: before the check, and for updates and archives with several apps.',
    permission: 'app.create',
    programs: 'memberKey',
    response: z.object({ plan: anyPlanSchema }),
  }),
  updateMovePlan: endpoint('PUT /api/project/{p}/move/{id}/plan', {
    audit: { act: 'move.plan' },
    summary: 'Correct the plan of a migration',
    description:
      'The body contains the app and all planned models, custom types and fields; omitted ones return ' +
      '400 `TooFewItems`. They are identified by `from`. A field can only get one of its `choices`. For ' +
      "an archive of Imori, the body contains the app's names, and whether documents get new `_id`s. " +
      '400 lists every invalid value. 409 `MoveIsNotReady` unless the state is `planned` or `undone`. ' +
      'One of several apps is corrected under its own `_id`.',
    permission: 'app.create',
    programs: 'memberKey',
    body: z.strictObject({ data: z.union([carriedCorrectionsSchema, moveCorrectionsSchema]) }),
    response: z.object({ plan: anyPlanSchema }),
  }),
  getMoveApps: endpoint('GET /api/project/{p}/move/{id}/apps', {
    summary: 'Get the planned apps of an archive that contains several',
    description:
      '`links` lists references to documents of other apps. Each app has a plan under its own `_id`. ' +
      'Both lists are empty for other migrations.',
    permission: 'app.create',
    programs: 'memberKey',
    response: appsAnswer,
  }),
  updateMoveApps: endpoint('PUT /api/project/{p}/move/{id}/apps', {
    audit: { act: 'move.plan' },
    summary: 'Choose the apps to import from an archive, and their names',
    description:
      'The body contains every app; omitted ones return 400 `TooFewItems`. 409 `MoveIsNotReady` unless ' +
      'the state is `planned` or `undone`.',
    permission: 'app.create',
    programs: 'memberKey',
    body: z.strictObject({ data: appChoicesSchema }),
    response: appsAnswer,
  }),
  startMove: endpoint('POST /api/project/{p}/move/{id}/start', {
    idempotent: true,
    audit: { act: 'move.start', of: 'move', shows },
    summary: 'Create the app or apps of a migration, or start an update, and import in a job',
    description:
      'Also requires the right to upload files (403). An update requires the rights to read and write ' +
      'every document of the app, to manage models if it creates models or fields, and to change every ' +
      'file if it replaces files. 409 `MoveIsNotReady` unless the state is `planned` or `undone`, ' +
      '`MovePlanHasProblems` with `problem` if the plan has a problem that prevents the import, ' +
      '`MoveFileIsGone` without the archive. 400 if no app is chosen, or a model is invalid.',
    permission: 'app.create',
    programs: 'memberKey',
    response: answer,
  }),
  cancelMove: endpoint('POST /api/project/{p}/move/{id}/cancel', {
    idempotent: true,
    audit: { act: 'move.cancel', of: 'move', shows },
    summary: 'Cancel a migration at its next step',
    description:
      'Imported content stays until the migration is resumed or undone. Requires the right to manage ' +
      'its apps (403). 409 `MoveIsNotReady` unless it is being checked, imported or undone.',
    permission: 'app.create',
    programs: 'memberKey',
    response: answer,
  }),
  retryMove: endpoint('POST /api/project/{p}/move/{id}/retry', {
    idempotent: true,
    audit: { act: 'move.retry', of: 'move', shows },
    summary: 'Resume a stopped migration',
    description:
      'Changes nothing if the job has not stopped. Requires the rights that the step needs, such as ' +
      'managing the apps of the migration (403). 409 `MoveIsNotReady` unless it is being checked, ' +
      'imported or undone. 429 `TooManyMoves` for a check, as for the upload.',
    permission: 'app.create',
    programs: 'memberKey',
    response: answer,
  }),
  undoMove: endpoint('POST /api/project/{p}/move/{id}/undo', {
    idempotent: true,
    audit: { act: 'move.undo', of: 'move', shows },
    summary: 'Undo a migration and delete everything that it created',
    description:
      'Deletes the app with all its documents, including those written since, and files with no other ' +
      'use. Requires the right to manage the app, also from the member who started the migration (403). ' +
      '409 `MoveIsNotReady` unless the migration is imported or its import has stopped, while an update ' +
      'of it is unfinished, and always for updates.',
    permission: 'app.create',
    programs: 'memberKey',
    response: answer,
  }),
  acceptMove: endpoint('POST /api/project/{p}/move/{id}/accept', {
    idempotent: true,
    audit: { act: 'move.accept', of: 'move', shows },
    summary: 'Accept a migration and delete its archive from the server',
    description:
      'Afterwards the migration cannot be undone. Requires the right to manage its apps (403). 409 ' +
      '`MoveIsNotReady` unless the state is `imported`.',
    permission: 'app.create',
    programs: 'memberKey',
    response: answer,
  }),
  deleteMove: endpoint('DELETE /api/project/{p}/move/{id}', {
    audit: { act: 'move.delete' },
    summary: 'Delete a migration that is not running, with its archive',
    description:
      'Content of an accepted migration stays, as do documents of an update that has stopped. Requires ' +
      'the right to manage the apps of the migration (403). 409 `MoveIsNotReady` while it is running, ' +
      'while it can be undone or is being undone, and while an update of it is unfinished.',
    permission: 'app.create',
    programs: 'memberKey',
    response: successSchema,
  }),
}
