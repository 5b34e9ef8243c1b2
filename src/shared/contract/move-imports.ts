import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { importRights } from '../permissions.ts'
import { successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import {
  changedDocumentsAnswer,
  changedDocumentsQuery,
  changesAnswer,
  changesChoiceBody,
} from './move-updates.ts'
import { largestSent, maxArchiveBytes, moveAnswer, moveSchema, moveShows as shows } from './moves.ts'

const response = moveAnswer
const permission = 'app.manage'
const also = importRights

/**
 * Imports into an existing app, for members who manage it. An app without models is filled. For any other app, a user
 * chooses the changes in a plan. Imports that create an app belong to the space (moves.ts).
 */
export const moveImportEndpoints = {
  listAppImports: endpoint('GET /api/project/{p}/app/{a}/import', {
    summary: 'List imports into an app, newest first',
    description: 'At most 200. Planned imports are included.',
    permission,
    response: z.object({ moves: z.array(moveSchema) }),
  }),
  importApp: endpoint('POST /api/project/{p}/app/{a}/import', {
    idempotent: true,
    audit: { act: 'move.create', of: 'move', shows },
    summary: "Import an archive or another service's export from a public URL",
    description:
      'A job downloads the file: at most 20 GB, or 1 GB without a `Content-Length`. Otherwise the state ' +
      'becomes `refused`. An app without models is filled as soon as the file is checked, unless its ' +
      'contents must be confirmed; this requires the right to manage models (403). For other apps the ' +
      'job creates a plan, and the caller starts the import. The caller must be able to read and write ' +
      'every document of the app (403). 409 `TooManyArchives` and 429 `TooManyMoves` as for migrations.',
    permission,
    also,
    body: z.strictObject({ importUrl: z.url({ protocol: /^https?$/ }).max(4096) }),
    response,
  }),
  planAppImport: endpoint('POST /api/project/{p}/app/{a}/planImport', {
    idempotent: { none: 'an import more is seen, and can be forgotten' },
    audit: { act: 'move.create', of: 'move', shows },
    summary: 'Upload a file of up to 200 MB and plan its import into an app',
    description:
      'Multipart, one part `file`: an archive or an export of another service. Nothing is written ' +
      'before the import is started. Requires the same rights as `importApp`. 413 `RequestFileTooLarge` ' +
      'for a larger file. 409 `TooManyArchives` and 429 `TooManyMoves` as for migrations.',
    permission,
    also,
    body: { kind: 'multipart', files: 1, bytes: largestSent },
    transaction: 'own',
    maximumSeconds: 600,
    response,
  }),
  beginAppImport: endpoint('POST /api/project/{p}/app/{a}/import:upload', {
    idempotent: true,
    audit: { act: 'move.create', of: 'move', shows },
    summary: 'Start an import of a file of up to 200 GB, to be uploaded in parts',
    description:
      'Counts towards the limits of migrations (409 `TooManyArchives`). Requires the same rights as ' +
      '`importApp`.',
    permission,
    also,
    body: z.strictObject({
      data: z.strictObject({
        fileName: storableText(255).min(1),
        fileSize: z.int().min(1).max(maxArchiveBytes),
      }),
    }),
    response,
  }),
  getAppImport: endpoint('GET /api/project/{p}/app/{a}/import/{id}', {
    summary: 'Get an import and its progress',
    permission,
    response,
  }),
  signAppImportUpload: endpoint('GET /api/project/{p}/app/{a}/import/{id}/signedUrl', {
    letsWrite: true,
    summary: 'Get a URL to upload the file of an import',
    description:
      'The URL accepts a PUT for ten minutes, from byte `received` on. `Content-Range` has the ' +
      'position; `HEAD` returns it. 409 `UploadIsFinished` after the confirmation, and ' +
      '`TooManyArchives` as for migrations.',
    permission,
    also,
    response: z.object({
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      received: z.int(),
      expiresAt: timeSchema,
    }),
  }),
  confirmAppImportUpload: endpoint('POST /api/project/{p}/app/{a}/import/{id}/signedUrl', {
    idempotent: true,
    audit: { act: 'move.check', of: 'move', shows },
    summary: 'Confirm that the file of an import is uploaded completely',
    description:
      'A job opens the file, converts it if it is not an archive, checks it and plans the import. A ' +
      'repeated call changes nothing. 409 `UploadIsIncomplete` if bytes are missing, 429 `TooManyMoves` ' +
      'as for migrations.',
    permission,
    also,
    response,
  }),
  getAppImportChanges: endpoint('GET /api/project/{p}/app/{a}/import/{id}/changes', {
    summary: 'Get the changes of an import, counted by model and kind',
    description: '404 before the file is checked. After the import, the response contains its outcomes.',
    permission,
    response: changesAnswer,
  }),
  listAppImportDocuments: endpoint('GET /api/project/{p}/app/{a}/import/{id}/changes/documents', {
    summary: 'List the documents that differ between the file of an import and the app',
    description: 'Ordered by model and `_id`. The list can be filtered by kind and by outcome.',
    permission,
    query: changedDocumentsQuery,
    response: changedDocumentsAnswer,
  }),
  chooseAppImportChanges: endpoint('PUT /api/project/{p}/app/{a}/import/{id}/changes', {
    audit: { act: 'move.plan' },
    summary: 'Choose which documents and fields an import overwrites or adds',
    description:
      'The body contains a choice for all documents changed on both sides (`both`), and then choices ' +
      'for single documents. Without a choice, these documents stay unchanged; documents that are new ' +
      'or changed only in the source are imported. `files` chooses whether existing files are replaced. ' +
      'New models and fields are created with the chosen type, unless they are excluded. Choices for ' +
      '`states` cause a new check of the file (429 `TooManyMoves`), which resets the choices for ' +
      'documents. 400 lists every invalid choice. 409 `MoveIsNotReady` unless the state is `planned`.',
    permission,
    body: changesChoiceBody,
    response: successSchema,
  }),
  startAppImport: endpoint('POST /api/project/{p}/app/{a}/import/{id}/start', {
    idempotent: true,
    audit: { act: 'move.start', of: 'move', shows },
    summary: 'Start an import with the chosen changes in a job',
    description:
      'Each overwritten document gets a new revision, so that it can be restored. Creating models or ' +
      'fields also requires the right to manage models. Replacing files of the media library requires ' +
      'the right to change every file. The caller must be able to read and write every document of the ' +
      'app (403). 409 `MoveIsNotReady` unless the state is `planned`, `MovePlanHasProblems` if the ' +
      'contents must be confirmed.',
    permission,
    also,
    response,
  }),
  cancelAppImport: endpoint('POST /api/project/{p}/app/{a}/import/{id}/cancel', {
    idempotent: true,
    audit: { act: 'move.cancel', of: 'move', shows },
    summary: 'Cancel an import at its next step',
    description:
      'Imported documents stay. 409 `MoveIsNotReady` unless the import is being checked or is running.',
    permission,
    response,
  }),
  retryAppImport: endpoint('POST /api/project/{p}/app/{a}/import/{id}/retry', {
    idempotent: true,
    audit: { act: 'move.retry', of: 'move', shows },
    summary: 'Resume a stopped import',
    description:
      'Changes nothing if the job has not stopped. 403 if the caller lacks a right that the step needs. ' +
      '409 `MoveIsNotReady` unless the import is being checked or is running, 429 `TooManyMoves` for a ' +
      'check.',
    permission,
    also,
    response,
  }),
  deleteAppImport: endpoint('DELETE /api/project/{p}/app/{a}/import/{id}', {
    audit: { act: 'move.delete' },
    summary: 'Delete an import that is not running, with its file',
    description: 'Imported documents stay. 409 `MoveIsNotReady` while it is running.',
    permission,
    response: successSchema,
  }),
}
