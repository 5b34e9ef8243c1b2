import { z } from 'zod'
import { idSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/**
 * `failed`: refused, or tried as often as it may be. `stopped`: it failed three times in the same way, or ended its process
 * twice, and is not tried again until somebody has it run.
 */
export const jobStates = ['waiting', 'running', 'done', 'failed', 'stopped', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

/** What progress is counted in; `share`: parts of the whole, good for a percentage alone. */
export const jobUnits = ['items', 'bytes', 'share'] as const
export type JobUnit = (typeof jobUnits)[number]

/**
 * Why a job failed: a code of the catalogue, or `JobInterrupted` when its process ended under it. `culprit`: what it was at, such as
 * a document or a file of the archive, where the job says so. `times`: it stopped because it failed in this way so often.
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
  /** Null: not known (yet). */
  total: z.int().nullable(),
  unit: z.enum(jobUnits),
})
export type JobProgress = z.infer<typeof jobProgressSchema>

/** Something that happens after the answer. */
export const jobSchema = z.object({
  _id: idSchema,
  /** Which kind of job: `models.convert`. */
  name: z.string(),
  state: z.enum(jobStates),
  /** How far the present run is, where the job counts that. */
  progress: jobProgressSchema.nullable(),
  /** Seconds until it is done, as far as can be told by now. */
  secondsLeft: z.int().nullable(),
  /** Somebody asked for its end; it stops at the next opportunity. */
  cancelRequested: z.boolean(),
  /** How often it has failed; `waiting` with failures means that it will be tried again at `runAt`. */
  failures: z.int(),
  /** Why it failed last. */
  error: jobErrorSchema.nullable(),
  createdAt: timeSchema,
  runAt: timeSchema,
  startedAt: timeSchema.nullable(),
  finishedAt: timeSchema.nullable(),
  requestedBy: z.object({ _id: idSchema, name: z.string() }).nullable(),
})
export type Job = z.infer<typeof jobSchema>

/** As the installation's admin sees it; `space` null: the installation's own. */
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
    summary:
      'Jobs of a space, the newest first, and how many there are in each state: one’s own, or all for who may change the space.',
    permission: 'space.view',
    query: z.strictObject({ ...list, id: idSchema.optional(), name: z.string().max(100).optional() }),
    response: z.object({ jobs: z.array(jobSchema), total: z.int(), counts: countsSchema }),
  }),
  retryJob: endpoint('POST /api/project/{p}/job/{id}/retry', {
    idempotent: true,
    audit: { act: 'job.retry', of: 'job', shows: ['name'] },
    summary:
      'Run a job of a space again that failed, stopped or was cancelled, or now one that waits. Asks for the right to what the ' +
      'job does, too.',
    permission: 'space.view',
    response: z.object({ job: jobSchema }),
  }),
  cancelJob: endpoint('POST /api/project/{p}/job/{id}/cancel', {
    idempotent: true,
    audit: { act: 'job.cancel', of: 'job', shows: ['name'] },
    summary: 'End a job of a space: at once while it waits, at its next step while it runs.',
    permission: 'space.view',
    response: z.object({ job: jobSchema }),
  }),
  listInstallationJobs: endpoint('GET /api/admin/jobs', {
    summary:
      'Jobs of the installation and of all its spaces, the newest first, and how many there are in each state.',
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
    summary: 'Run a job again that failed, stopped or was cancelled, or now one that waits.',
    permission: 'admin',
    response: z.object({ job: installationJobSchema }),
  }),
  cancelInstallationJob: endpoint('POST /api/admin/jobs/{id}/cancel', {
    idempotent: { none: 'what is cancelled stays so' },
    audit: { act: 'job.cancel', of: 'job', shows: ['name'] },
    summary: 'End any job: at once while it waits, at its next step while it runs.',
    permission: 'admin',
    response: z.object({ job: installationJobSchema }),
  }),
}
