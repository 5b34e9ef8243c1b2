import { z } from 'zod'
import { submissionStates } from '../forms/fields.ts'
import { idPattern } from '../identifiers.ts'
import { idSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/** Maximum number of submissions that one bulk call changes. */
export const maxBulkSubmissions = 500
/** Maximum number of submissions that are counted for each state. */
export const countedSubmissions = 1_000

const valueSchema = z.object({ name: z.string(), value: z.union([z.string(), z.array(z.string())]) })

const submissionSchema = z.object({
  _id: idSchema,
  state: z.enum(submissionStates),
  /** The address in the e-mail field, in lower case. null: none. */
  email: z.string().nullable(),
  /** The first four values that are not blank, each shortened to 120 characters. Lists are joined by commas. */
  preview: z.array(z.object({ name: z.string(), value: z.string() })),
  /** Number of files. */
  fileCount: z.int(),
  receivedAt: timeSchema,
  /** Time at which the submission was moved to the trash. null: it is not in the trash. */
  deletedAt: timeSchema.nullable(),
})
export type Submission = z.infer<typeof submissionSchema>

const submissionFileSchema = z.object({
  _id: idSchema,
  /** Name of the field. */
  name: z.string(),
  fileName: z.string(),
  fileType: z.string(),
  /** Size in bytes. */
  fileSize: z.int(),
})
export type SubmissionFile = z.infer<typeof submissionFileSchema>

const submissionDetailSchema = submissionSchema.extend({
  /** All values in the order in which they were sent. */
  values: z.array(valueSchema),
  files: z.array(submissionFileSchema),
  /** Address of the page that sent the form, as the browser reported it. null: unknown. */
  page: z.string().nullable(),
  /** Preferred language of the visitor. */
  language: z.enum(['ja', 'en']),
  /** Whether the automatic reply was sent, or omitted because of a limit. null: there is none. */
  replyState: z.enum(['queued', 'limited']).nullable(),
  updatedAt: timeSchema,
})
export type SubmissionDetail = z.infer<typeof submissionDetailSchema>

const change = z.strictObject({ state: z.enum(submissionStates) })

const ids = z
  .array(z.string().regex(idPattern, { error: 'InvalidFormat' }))
  .min(1)
  .max(maxBulkSubmissions)
const results = z.object({
  results: z.array(z.object({ _id: idSchema, success: z.boolean(), code: z.string().optional() })),
})

export const formSubmissionEndpoints = {
  listSubmissions: endpoint('GET /api/project/{p}/form/{id}/message', {
    summary: 'List the submissions of a form, newest first',
    permission: 'submission.read',
    query: z.object({
      /** Omitted: all except spam. */
      state: z.enum(submissionStates).optional(),
      /** `true`: the submissions in the trash, in every state. */
      trash: z.stringbool().default(false),
      /** Only submissions older than this one. 400 if the form has no such submission. */
      before: z.string().regex(idPattern).optional(),
      limit: z.coerce.number().int().min(1).max(100).default(50),
    }),
    response: z.object({
      submissions: z.array(submissionSchema),
      isMore: z.boolean(),
      /** Number of submissions by state, without those in the trash, counted up to 1,000. */
      counts: z.object({ new: z.int(), inProgress: z.int(), done: z.int(), spam: z.int() }),
    }),
  }),
  getSubmission: endpoint('GET /api/project/{p}/form/{id}/message/{s}', {
    summary: 'Get a submission with all values, also one in the trash',
    permission: 'submission.read',
    response: z.object({ submission: submissionDetailSchema }),
  }),
  updateSubmission: endpoint('PATCH /api/project/{p}/form/{id}/message/{s}', {
    audit: { act: 'submission.update', of: 'submission', shows: ['state'] },
    summary: 'Change the state of a submission',
    permission: 'submission.manage',
    body: z.strictObject({ data: change }),
    response: z.object({ submission: submissionDetailSchema }),
  }),
  bulkUpdateSubmissions: endpoint('POST /api/project/{p}/form/{id}/message:bulkUpdate', {
    idempotent: { none: 'repeating it changes nothing' },
    audit: { act: 'submission.update' },
    summary: 'Change the state of several submissions',
    permission: 'submission.manage',
    body: z.strictObject({ ids, data: change }),
    response: results,
  }),
  bulkDeleteSubmissions: endpoint('POST /api/project/{p}/form/{id}/message:bulkDelete', {
    idempotent: { none: 'repeating it changes nothing' },
    audit: { act: 'submission.delete' },
    summary: 'Move submissions to the trash',
    description: 'They are deleted permanently after 30 days, with their files.',
    permission: 'submission.manage',
    body: z.strictObject({ ids }),
    response: results,
  }),
  bulkRestoreSubmissions: endpoint('POST /api/project/{p}/form/{id}/message:bulkRestore', {
    idempotent: { none: 'repeating it changes nothing' },
    audit: { act: 'submission.restore' },
    summary: 'Restore submissions from the trash',
    permission: 'submission.manage',
    body: z.strictObject({ ids }),
    response: results,
  }),
  exportSubmissions: endpoint('GET /api/project/{p}/form/{id}/message:export', {
    audit: { act: 'submission.export' },
    summary: 'Export the submissions of a form as a file',
    description:
      'Newest first, without submissions in the trash. CSV has one column for each field of the form, then one ' +
      'for each other name that the newest 10,000 submissions contain, up to 500. If there may be more names, ' +
      'the last column has the other values as JSON. CSV opens safely in spreadsheet programs: a text that begins ' +
      'with `=`, `+`, `-`, `@`, a tab or a line break gets an apostrophe, unless it is a plain number such as ' +
      '`-5`. NDJSON has one submission per line, with its values as they were sent.',
    permission: 'submission.read',
    transaction: 'own',
    query: z.object({
      format: z.enum(['csv', 'ndjson']),
      /** Omitted: all except spam. */
      state: z.enum(submissionStates).optional(),
    }),
    response: { kind: 'file' },
  }),
  getSubmissionFile: endpoint('GET /api/project/{p}/form/{id}/message/{s}/file/{f}', {
    audit: { act: 'submission.downloadFile' },
    summary: 'Download a file of a submission',
    description: 'The response is always a download, and runs in no page of Imori.',
    permission: 'submission.read',
    transaction: 'own',
    maximumSeconds: 600,
    response: { kind: 'file' },
  }),
}
