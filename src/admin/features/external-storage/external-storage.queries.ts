import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { Job } from '#shared/contract/jobs.ts'

/** Polling interval while files are being moved, in milliseconds. */
const lookEvery = 2_000

/** Loads where a space's files are stored. */
export const externalStorageQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'externalStorage'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/externalStorage', { params: { p }, signal }),
  })

export const isUnderWay = (job: Job | null | undefined) =>
  job?.state === 'running' || job?.state === 'waiting'

/** Loads the job that moves files. Polls while the job is waiting or running. */
export const moveQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: ['space', p, 'externalStorage', 'move', id],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/job', { params: { p }, query: { id }, signal })).jobs[0] ?? null,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (isUnderWay(data) ? lookEvery : false),
    refetchIntervalInBackground: false,
  })
