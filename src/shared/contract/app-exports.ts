import { z } from 'zod'
import { idSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { jobErrorSchema, jobSchema } from './jobs.ts'

/**
 * `archive` can be moved in again (docs/archive-format.md). The others are for other programs, and hold the documents alone, in their
 * current state: a file for each model, of `markdown` one for each document.
 */
export const exportFormats = ['archive', 'ndjson', 'csv', 'markdown'] as const

const optionsSchema = z.strictObject({
  format: z.enum(exportFormats).default('archive'),
  /** Of archives: with the files of the media library that documents use. */
  assets: z.boolean().default(true),
  /** Of archives: with all that documents were before, and the names and mail addresses of who wrote it. */
  revisions: z.boolean().default(false),
})
export type ExportOptions = z.infer<typeof optionsSchema>

/** Hours for which a file that is ready can be fetched. */
export const exportHours = 72

export const appExportSchema = z.object({
  _id: idSchema,
  ...optionsSchema.shape,
  /** `failed`, with the reason in `stopped`; `expired`: the file is gone. */
  state: z.enum(['writing', 'ready', 'failed', 'expired']),
  stopped: jobErrorSchema.nullable(),
  /** What writes it: how far, and by what it is cancelled. */
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
  /** Bytes. */
  fileSize: z.int().nullable(),
  /** Assets whose files were not to be had. */
  missing: z.int(),
  createdAt: timeSchema,
  createdBy: z.object({ _id: idSchema, name: z.string() }).nullable(),
  finishedAt: timeSchema.nullable(),
  expiresAt: timeSchema.nullable(),
})
export type AppExport = z.infer<typeof appExportSchema>

const response = z.object({
  /** null: none was asked for, or begun. */
  export: appExportSchema.nullable(),
  /** Where the file is fetched for ten minutes, without a session; null while there is none. */
  downloadUrl: z.string().nullable(),
})

const path = '/api/project/{p}/app/{a}/export' as const

const spacePath = '/api/project/{p}/export' as const

/** An app as a file, and all apps of a space as one. For who looks after it; of all apps, for who looks after every app. */
export const appExportEndpoints = {
  getAppExport: endpoint(`GET ${path}`, {
    audit: { act: 'app.export', of: 'export', shows: ['format', 'assets', 'revisions', 'fileName'] },
    summary:
      'The latest export of an app: how far it is, and where its file is fetched. An archive is begun where there is none of the present state; `start=false` only looks.',
    permission: 'app.manage',
    query: z.strictObject({ start: z.enum(['true', 'false']).optional() }),
    response,
  }),
  startAppExport: endpoint(`POST ${path}`, {
    idempotent: true,
    audit: { act: 'app.export', of: 'export', shows: ['format', 'assets', 'revisions', 'fileName'] },
    summary:
      'Write everything of an app into a file, by a job. While one is being written, that one is answered.',
    permission: 'app.manage',
    body: z.strictObject({ data: optionsSchema.prefault({}) }),
    response,
  }),
  getSpaceExport: endpoint(`GET ${spacePath}`, {
    summary: 'The latest export of all apps of the space: how far it is, and where its file is fetched.',
    permission: 'app.manage',
    response,
  }),
  startSpaceExport: endpoint(`POST ${spacePath}`, {
    idempotent: true,
    audit: { act: 'space.export', of: 'export', shows: ['assets', 'revisions', 'fileName'] },
    summary:
      'Write all apps of the space into one archive, by a job; what several use of the media library is in it once. While one is being ' +
      'written, that one is answered.',
    permission: 'app.manage',
    body: z.strictObject({ data: optionsSchema.omit({ format: true }).prefault({}) }),
    response,
  }),
}
