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
 * Imports into an existing app, for members who manage it. An empty app is filled. For any other app, a plan adds the
 * missing parts. Imports that create an app belong to the space (moves.ts).
 */
export const moveImportEndpoints = {
  listAppImports: endpoint('GET /api/project/{p}/app/{a}/import', {
    summary: 'What has been imported into the app, or is to be, the newest first.',
    permission,
    response: z.object({ moves: z.array(moveSchema) }),
  }),
  importApp: endpoint('POST /api/project/{p}/app/{a}/import', {
    idempotent: true,
    audit: { act: 'move.create', of: 'move', shows },
    summary:
      'Import an archive, or an export of another service, that a job fetches from a public address, into `{a}`. An app without models is filled as soon as ' +
      'it has been checked, which takes the right to manage models; for another one there is a plan, by which the import is started.',
    permission,
    also,
    body: z.strictObject({ importUrl: z.url({ protocol: /^https?$/ }).max(4096) }),
    response,
  }),
  planAppImport: endpoint('POST /api/project/{p}/app/{a}/planImport', {
    idempotent: { none: 'an import more is seen, and can be forgotten' },
    audit: { act: 'move.create', of: 'move', shows },
    summary:
      'Plan the import of an archive, or an export of another service, into `{a}` (multipart, one part `file`, up to 200 MB). Nothing is written before ' +
      'it is started.',
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
    summary:
      'The same for a file of up to 200 GB, to be sent next in as many pieces as it takes. Counts towards the same limits as moves of the space.',
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
    summary: 'One import and how far it is.',
    permission,
    response,
  }),
  signAppImportUpload: endpoint('GET /api/project/{p}/app/{a}/import/{id}/signedUrl', {
    letsWrite: true,
    summary:
      'Where to PUT the file within ten minutes, from its byte `received` on: `Content-Range` says so, and `HEAD` asks again.',
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
    summary:
      'Everything was sent: it is opened, converted where it is no archive, checked and planned by a job.',
    permission,
    also,
    response,
  }),
  getAppImportChanges: endpoint('GET /api/project/{p}/app/{a}/import/{id}/changes', {
    summary: 'What an import brings, counted by model and kind; when it is done, what became of it.',
    permission,
    response: changesAnswer,
  }),
  listAppImportDocuments: endpoint('GET /api/project/{p}/app/{a}/import/{id}/changes/documents', {
    summary:
      'The documents of an import that are not here as they are there, of one kind or with one outcome.',
    permission,
    query: changedDocumentsQuery,
    response: changedDocumentsAnswer,
  }),
  chooseAppImportChanges: endpoint('PUT /api/project/{p}/app/{a}/import/{id}/changes', {
    audit: { act: 'move.plan' },
    summary:
      'Choose what takes the place of what is here: for all documents that are on both sides (`both`), then one by one. Until somebody does, they stay ' +
      'as they are here. New models and fields are made unless they are left, of the type that is chosen.',
    permission,
    body: changesChoiceBody,
    response: successSchema,
  }),
  startAppImport: endpoint('POST /api/project/{p}/app/{a}/import/{id}/start', {
    idempotent: true,
    audit: { act: 'move.start', of: 'move', shows },
    summary:
      'Bring what was chosen, by a job. Every document that is written over has a revision more, by which it is taken back. Making models or fields also ' +
      'takes the right to manage models, replacing files of the media library the right to change every file.',
    permission,
    also,
    response,
  }),
  cancelAppImport: endpoint('POST /api/project/{p}/app/{a}/import/{id}/cancel', {
    idempotent: true,
    audit: { act: 'move.cancel', of: 'move', shows },
    summary: 'Stop the job of an import at its next step. What was imported stays.',
    permission,
    response,
  }),
  retryAppImport: endpoint('POST /api/project/{p}/app/{a}/import/{id}/retry', {
    idempotent: true,
    audit: { act: 'move.retry', of: 'move', shows },
    summary: 'Go on with an import that has stopped, from where it was.',
    permission,
    also,
    response,
  }),
  deleteAppImport: endpoint('DELETE /api/project/{p}/app/{a}/import/{id}', {
    audit: { act: 'move.delete' },
    summary: 'Forget an import that is not under way, with its file. What it has brought stays.',
    permission,
    response: successSchema,
  }),
}
