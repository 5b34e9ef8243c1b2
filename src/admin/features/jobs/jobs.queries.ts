import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { InstallationJob, Job, JobState } from '#shared/contract/jobs.ts'

/** Milliseconds between two looks: often while something moves. Nobody looks while the page is not to be seen. */
const lookEvery = { moving: 2_000, still: 10_000 }

/** Jobs that somebody may see and do something about. */
export interface JobSource {
  key: readonly string[]
  list(state: JobState | null, limit: number, signal: AbortSignal): Promise<JobPage>
  retry(id: string): Promise<unknown>
  cancel(id: string): Promise<unknown>
}

interface JobPage {
  jobs: (Job & Partial<Pick<InstallationJob, 'space'>>)[]
  total: number
  counts: Record<JobState, number>
}

/** Those of the installation and all its spaces. */
export const installationJobs: JobSource = {
  key: ['installation', 'jobs'],
  list: (state, limit, signal) =>
    api('GET /api/admin/jobs', { query: { ...(state ? { state } : {}), limit }, signal }),
  retry: (id) => api('POST /api/admin/jobs/{id}/retry', { params: { id } }),
  cancel: (id) => api('POST /api/admin/jobs/{id}/cancel', { params: { id } }),
}

/** Those of a space: one's own, or all for who may change the space. */
export const spaceJobs = (p: string): JobSource => ({
  key: ['space', p, 'jobs'],
  list: (state, limit, signal) =>
    api('GET /api/project/{p}/job', { params: { p }, query: { ...(state ? { state } : {}), limit }, signal }),
  retry: (id) => api('POST /api/project/{p}/job/{id}/retry', { params: { p, id } }),
  cancel: (id) => api('POST /api/project/{p}/job/{id}/cancel', { params: { p, id } }),
})

export const jobsQuery = (source: JobSource, state: JobState | null, limit: number) =>
  queryOptions({
    queryKey: [...source.key, state, limit],
    queryFn: ({ signal }) => source.list(state, limit, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data && data.counts.running > 0 ? lookEvery.moving : lookEvery.still,
    refetchIntervalInBackground: false,
  })
