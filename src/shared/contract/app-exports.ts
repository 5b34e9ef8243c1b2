import { z } from 'zod'
import { idSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { jobErrorSchema, jobSchema } from './jobs.ts'

/**
 * Only an `archive` can be imported again as an app (docs/archive-format.md). The other formats contain only documents
 * in their current state. `ndjson` and `csv` have one file per model, `markdown` has one file per document.
 */
export const exportFormats = ['archive', 'ndjson', 'csv', 'markdown'] as const

const optionsSchema = z.strictObject({
  format: z.enum(exportFormats).default('archive'),
  /** Archives only: include the files of the media library that documents use. */
  assets: z.boolean().default(true),
  /** Archives only: include the revisions of documents, with the names and mail addresses of their authors. */
  revisions: z.boolean().default(false),
})
export type ExportOptions = z.infer<typeof optionsSchema>

/** Time in hours for which a finished file can be downloaded. */
export const exportHours = 72

export const appExportSchema = z.object({
  _id: idSchema,
  ...optionsSchema.shape,
  /** `failed`: the job failed or was cancelled; the reason is in `stopped`. `expired`: the file has been deleted. */
  state: z.enum(['writing', 'ready', 'failed', 'expired']),
  stopped: jobErrorSchema.nullable(),
  /** The job that writes the file, for its progress and for cancelling it. null unless `state` is `writing`. */
  job: jobSchema
    .pick({
      _id: true,
      progress: true,
      secondsLeft: true,
      cancelRequested: true,
      failures: true,
      error: true,
    })
    .nullable(),
  fileName: z.string(),
  /** Size in bytes. null: not known yet. */
  fileSize: z.int().nullable(),
  /** Number of assets whose files could not be read. 0 for exports without files. */
  missing: z.int(),
  createdAt: timeSchema,
  createdBy: z.object({ _id: idSchema, name: z.string() }).nullable(),
  finishedAt: timeSchema.nullable(),
  expiresAt: timeSchema.nullable(),
})
export type AppExport = z.infer<typeof appExportSchema>

const response = z.object({
  export: appExportSchema.nullable(),
  /** Path of the endpoint that sends the file. null: the export is not `ready`. */
  downloadUrl: z.string().nullable(),
})

const path = '/api/project/{p}/app/{a}/export' as const

const spacePath = '/api/project/{p}/export' as const

/**
 * Exports of one app, or of all apps of a space in one file. An export requires the right to manage the app. An export
 * of all apps requires this right for every app.
 */
export const appExportEndpoints = {
  getAppExport: endpoint(`GET ${path}`, {
    audit: { act: 'app.export', of: 'export', shows: ['format', 'assets', 'revisions', 'fileName'] },
    summary: 'Get the latest export of an app and its state',
    description:
      'Starts an export (an archive with assets, without revisions) if there is none, the app has ' +
      'changed since the latest one, or the file of that one has been deleted. A running export, and a ' +
      'finished one that was started less than ten minutes ago, are returned in spite of changes. ' +
      '`start=false`: starts none. 409 `AppIsBeingFilled` while a template or an import fills the app.',
    permission: 'app.manage',
    query: z.strictObject({ start: z.enum(['true', 'false']).optional() }),
    response,
  }),
  startAppExport: endpoint(`POST ${path}`, {
    idempotent: true,
    audit: { act: 'app.export', of: 'export', shows: ['format', 'assets', 'revisions', 'fileName'] },
    summary: 'Export an app to a file in a job',
    description:
      'If an export is already being written, that one is returned. 409 `AppIsBeingFilled` while a ' +
      'template or an import fills the app.',
    permission: 'app.manage',
    body: z.strictObject({ data: optionsSchema.prefault({}) }),
    response,
  }),
  getAppExportFile: endpoint(`GET ${path}/file`, {
    audit: { act: 'app.fetchExport' },
    summary: 'Download the file of the latest export of an app',
    description: '404 unless the latest export is finished. The file is deleted after 72 hours.',
    permission: 'app.manage',
    transaction: 'own',
    response: { kind: 'file' },
  }),
  getSpaceExport: endpoint(`GET ${spacePath}`, {
    summary: 'Get the latest export of all apps of the space and its state',
    description: 'Starts no export.',
    permission: 'app.manage',
    response,
  }),
  startSpaceExport: endpoint(`POST ${spacePath}`, {
    idempotent: true,
    audit: { act: 'space.export', of: 'export', shows: ['assets', 'revisions', 'fileName'] },
    summary: 'Export all apps of the space to one archive in a job',
    description:
      'Assets that several apps use are stored once. If an export is already being written, that one is ' +
      'returned. 409 `AppIsBeingFilled`, with the names in `apps`, while a template or an import fills ' +
      'an app. 400 if the space has no app, or more than 1,000.',
    permission: 'app.manage',
    body: z.strictObject({ data: optionsSchema.omit({ format: true }).prefault({}) }),
    response,
  }),
  getSpaceExportFile: endpoint(`GET ${spacePath}/file`, {
    audit: { act: 'space.fetchExport' },
    summary: 'Download the file of the latest export of all apps of the space',
    description: '404 unless the latest export is finished. The file is deleted after 72 hours.',
    permission: 'app.manage',
    transaction: 'own',
    response: { kind: 'file' },
  }),
}
