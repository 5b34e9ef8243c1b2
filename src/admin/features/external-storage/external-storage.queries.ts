import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import type { Job } from '#shared/contract/jobs.ts'

/** Milliseconds between two looks at files that are being moved. */
const lookEvery = 2_000

/** Where the files of a space lie. */
export const externalStorageQuery = (p: string) =>
  queryOptions({
    queryKey: ['space', p, 'externalStorage'],
    queryFn: ({ signal }) => api('GET /api/project/{p}/externalStorage', { params: { p }, signal }),
  })

export const isUnderWay = (job: Job | null | undefined) =>
  job?.state === 'running' || job?.state === 'waiting'

/** The job that moves files; looked at again while it is under way. */
export const moveQuery = (p: string, id: string) =>
  queryOptions({
    queryKey: ['space', p, 'externalStorage', 'move', id],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/job', { params: { p }, query: { id }, signal })).jobs[0] ?? null,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (isUnderWay(data) ? lookEvery : false),
    refetchIntervalInBackground: false,
  })
