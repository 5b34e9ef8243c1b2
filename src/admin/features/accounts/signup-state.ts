import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Whether the next account would be the first one, so that nobody can sign in yet, and who may create one. */
export const signupStateQuery = () =>
  queryOptions({
    queryKey: ['signupState'],
    queryFn: ({ signal }) => api('GET /api/auth/signupState', { signal }),
    retry: false,
  })
