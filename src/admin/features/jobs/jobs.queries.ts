import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { InstallationJob, Job, JobState } from '#shared/contract/jobs.ts'

/** Milliseconds between two looks: often while something moves. Nobody looks while the page is not to be seen. */
const lookEvery = { moving: 2_000, still: 10_000 }

/** Jobs on a page. */
const pageSize = 50

/** Jobs that somebody may see and do something about. */
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

/** Those of the installation and all its spaces. */
export const installationJobs: JobSource = {
  key: ['installation', 'jobs'],
  list: (query, signal) => api('GET /api/admin/jobs', { query, signal }),
  retry: (id) => api('POST /api/admin/jobs/{id}/retry', { params: { id } }),
  cancel: (id) => api('POST /api/admin/jobs/{id}/cancel', { params: { id } }),
}

/** Those of a space: one's own, or all for who may change the space. */
export const spaceJobs = (p: string): JobSource => ({
  key: ['space', p, 'jobs'],
  list: (query, signal) => api('GET /api/project/{p}/job', { params: { p }, query, signal }),
  retry: (id) => api('POST /api/project/{p}/job/{id}/retry', { params: { p, id } }),
  cancel: (id) => api('POST /api/project/{p}/job/{id}/cancel', { params: { p, id } }),
})

/** The newest jobs, page by page; every look is one at all pages that are open. */
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
