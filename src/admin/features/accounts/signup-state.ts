import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Would the next account be the first one? Then there is nobody who could log in. And who may make one? */
export const signupStateQuery = () =>
  queryOptions({
    queryKey: ['signupState'],
    queryFn: ({ signal }) => api('GET /api/auth/signupState', { signal }),
    retry: false,
  })
