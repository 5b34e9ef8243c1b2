import { z } from 'zod'
import { idSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/**
 * `failed`: refused, or failed in all its attempts. `stopped`: failed three times in a row with the same error, or its
 * process ended twice without progress in between. A stopped job runs again only after a user retries it. Errors that
 * are likely to pass, such as a full disk, do not stop a job.
 */
export const jobStates = ['waiting', 'running', 'done', 'failed', 'stopped', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

/** The unit of progress. `share`: fractions of the whole, for a percentage. */
export const jobUnits = ['items', 'bytes', 'share'] as const
export type JobUnit = (typeof jobUnits)[number]

/**
 * Why a job failed: an error code, or `JobInterrupted` if its process ended during the run. `culprit`: the item that it
 * was processing, such as a document or a file, if the job reports one. `times`: how often this error occurred, if the
 * job stopped for that reason.
 */
export const jobErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  culprit: z.string().optional(),
  times: z.int().optional(),
})
export type JobError = z.infer<typeof jobErrorSchema>

export const jobProgressSchema = z.object({
  done: z.int(),
  /** null: not known, or not known yet. */
  total: z.int().nullable(),
  unit: z.enum(jobUnits),
})
export type JobProgress = z.infer<typeof jobProgressSchema>

export const jobSchema = z.object({
  _id: idSchema,
  /** The kind of job: `models.convert`. */
  name: z.string(),
  state: z.enum(jobStates),
  /** Progress of the current run, or of the last one. null: no progress was reported. */
  progress: jobProgressSchema.nullable(),
  /** Estimated seconds until the job is done. null: not known. */
  secondsLeft: z.int().nullable(),
  /** Whether cancelling was requested. The job stops at its next check. */
  cancelRequested: z.boolean(),
  /** Number of failed runs. `waiting` with failures means a retry at `runAt`. */
  failures: z.int(),
  /** The error of the last failed run. */
  error: jobErrorSchema.nullable(),
  createdAt: timeSchema,
  runAt: timeSchema,
  startedAt: timeSchema.nullable(),
  finishedAt: timeSchema.nullable(),
  requestedBy: z.object({ _id: idSchema, name: z.string() }).nullable(),
})
export type Job = z.infer<typeof jobSchema>

/** A job as an admin of the installation sees it. `space` is null for a job of the installation. */
export const installationJobSchema = jobSchema.extend({
  space: z.object({ uid: z.string(), name: z.string() }).nullable(),
})
export type InstallationJob = z.infer<typeof installationJobSchema>

const countsSchema = z.record(z.enum(jobStates), z.int())

const list = {
  state: z.enum(jobStates).optional(),
  skip: z.coerce.number().int().min(0).max(100_000).default(0),
  limit: z.coerce.number().int().min(1).max(100).default(20),
}

export const jobEndpoints = {
  listJobs: endpoint('GET /api/project/{p}/job', {
    summary: 'List jobs of a space, newest first, with counts by state',
    description:
      "Contains the caller's own jobs, or all jobs for members with the right `space.update`. `counts` " +
      'has the numbers of all these jobs by state, whatever `state` filters.',
    permission: 'space.view',
    query: z.strictObject({ ...list, id: idSchema.optional(), name: z.string().max(100).optional() }),
    response: z.object({ jobs: z.array(jobSchema), total: z.int(), counts: countsSchema }),
  }),
  retryJob: endpoint('POST /api/project/{p}/job/{id}/retry', {
    idempotent: true,
    audit: { act: 'job.retry', of: 'job', shows: ['name'] },
    summary: 'Run a job of the space again, or run a waiting job now',
    description:
      'Changes only jobs that failed, stopped, were cancelled, or are waiting, and none while another ' +
      "job for the same work is waiting. Also requires the right for the job's action (403); the job " +
      'then runs with the rights of the caller.',
    permission: 'space.view',
    response: z.object({ job: jobSchema }),
  }),
  cancelJob: endpoint('POST /api/project/{p}/job/{id}/cancel', {
    idempotent: true,
    audit: { act: 'job.cancel', of: 'job', shows: ['name'] },
    summary: 'Cancel a job of the space',
    description:
      'A waiting job is cancelled immediately, a running job at its next step. A job that has ended ' +
      'stays unchanged. A job of another account, and some own jobs, also require the right for the ' +
      "job's action (403).",
    permission: 'space.view',
    response: z.object({ job: jobSchema }),
  }),
  listInstallationJobs: endpoint('GET /api/admin/jobs', {
    summary: 'List jobs of the installation and all spaces, with counts by state',
    description:
      'The jobs are sorted by creation time, newest first. `counts` has the numbers of all jobs by ' +
      'state, whatever `state` filters.',
    permission: 'admin',
    query: z.strictObject(list),
    response: z.object({
      jobs: z.array(installationJobSchema),
      total: z.int(),
      counts: countsSchema,
    }),
  }),
  retryInstallationJob: endpoint('POST /api/admin/jobs/{id}/retry', {
    idempotent: { none: 'what waits again is not retried' },
    audit: { act: 'job.retry', of: 'job', shows: ['name'] },
    summary: 'Run any job again, or run a waiting job now',
    description:
      'Changes only jobs that failed, stopped, were cancelled, or are waiting, and none while another ' +
      'job for the same work is waiting.',
    permission: 'admin',
    response: z.object({ job: installationJobSchema }),
  }),
  cancelInstallationJob: endpoint('POST /api/admin/jobs/{id}/cancel', {
    idempotent: { none: 'what is cancelled stays so' },
    audit: { act: 'job.cancel', of: 'job', shows: ['name'] },
    summary: 'Cancel any job',
    description:
      'A waiting job is cancelled immediately, a running job at its next step. A job that has ended ' +
      'stays unchanged.',
    permission: 'admin',
    response: z.object({ job: installationJobSchema }),
  }),
}
