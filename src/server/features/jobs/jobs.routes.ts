import { implement } from '#server/http/endpoints.ts'
import type { Job } from '#server/jobs/job.ts'
import { jobEndpoints } from '#shared/contract/jobs.ts'
import * as jobs from './jobs.service.ts'

const present = <Row extends jobs.JobRow>({ id, requestedBy, ...job }: Row) => ({
  ...job,
  _id: id,
  requestedBy: requestedBy && { _id: requestedBy.id, name: requestedBy.name },
})

/**
 * Returns the endpoints for jobs. `definitions`: all kinds of jobs, which check the rights to run a job again or stop
 * it.
 */
export const jobRoutes = (definitions: readonly Job[]) =>
  implement(jobEndpoints, {
    listJobs: async (ctx, { query }) => {
      const { jobs: found, ...rest } = await jobs.listJobs(ctx, definitions, query)
      return { ...rest, jobs: found.map(present) }
    },
    retryJob: async (ctx, { params }) => ({ job: present(await jobs.retryJob(ctx, definitions, params.id)) }),
    cancelJob: async (ctx, { params }) => ({
      job: present(await jobs.cancelJob(ctx, definitions, params.id)),
    }),
    listInstallationJobs: async (ctx, { query }) => {
      const { jobs: found, ...rest } = await jobs.listInstallationJobs(ctx, definitions, query)
      return { ...rest, jobs: found.map(present) }
    },
    retryInstallationJob: async (ctx, { params }) => ({
      job: present(await jobs.retryInstallationJob(ctx, params.id)),
    }),
    cancelInstallationJob: async (ctx, { params }) => ({
      job: present(await jobs.cancelInstallationJob(ctx, params.id)),
    }),
  })
