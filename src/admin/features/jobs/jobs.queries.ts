import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { JobState } from '#shared/contract/jobs.ts'

/** Milliseconds between two looks: often while something moves. Nobody looks while the page is not to be seen. */
const lookEvery = { moving: 2_000, still: 10_000 }

export const installationJobsQuery = (state: JobState | null, limit: number) =>
  queryOptions({
    queryKey: ['installation', 'jobs', state, limit],
    queryFn: ({ signal }) =>
      api('GET /api/admin/jobs', { query: { ...(state ? { state } : {}), limit }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data && data.counts.running > 0 ? lookEvery.moving : lookEvery.still,
    refetchIntervalInBackground: false,
  })
