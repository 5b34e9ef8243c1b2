import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { InstallationJob, Job, JobState } from '#shared/contract/jobs.ts'

/**
 * Polling intervals in milliseconds: shorter while a job is running. The list is not polled while the page is hidden.
 */
const lookEvery = { moving: 2_000, still: 10_000 }

/** Number of jobs per page. */
const pageSize = 50

/** A list of jobs and the actions on them. */
export interface JobSource {
  key: readonly string[]
  list(which: Which, signal: AbortSignal): Promise<JobPage>
  retry(id: string): Promise<unknown>
  cancel(id: string): Promise<unknown>
}

interface Which {
  state?: JobState
  skip: number
  limit: number
}

interface JobPage {
  jobs: (Job & Partial<Pick<InstallationJob, 'space'>>)[]
  total: number
  counts: Record<JobState, number>
}

/** The jobs of the installation and all its spaces. */
export const installationJobs: JobSource = {
  key: ['installation', 'jobs'],
  list: (query, signal) => api('GET /api/admin/jobs', { query, signal }),
  retry: (id) => api('POST /api/admin/jobs/{id}/retry', { params: { id } }),
  cancel: (id) => api('POST /api/admin/jobs/{id}/cancel', { params: { id } }),
}

/** Returns the jobs of a space: the caller's own jobs, or all jobs if the caller may change the space. */
export const spaceJobs = (p: string): JobSource => ({
  key: ['space', p, 'jobs'],
  list: (query, signal) => api('GET /api/project/{p}/job', { params: { p }, query, signal }),
  retry: (id) => api('POST /api/project/{p}/job/{id}/retry', { params: { p, id } }),
  cancel: (id) => api('POST /api/project/{p}/job/{id}/cancel', { params: { p, id } }),
})

/** Loads the jobs, newest first, page by page. Each poll loads all loaded pages again. */
export const jobsQuery = (source: JobSource, state: JobState | null) =>
  infiniteQueryOptions({
    queryKey: [...source.key, state],
    queryFn: ({ pageParam, signal }) =>
      source.list({ ...(state && { state }), skip: pageParam, limit: pageSize }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ jobs, total }, _pages, skip) =>
      jobs.length > 0 && skip + pageSize < total ? skip + pageSize : undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      (data?.pages[0]?.counts.running ?? 0) > 0 ? lookEvery.moving : lookEvery.still,
    refetchIntervalInBackground: false,
  })
