import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Loads whether the installation has no account yet, and which visitors may sign up. */
export const signupStateQuery = () =>
  queryOptions({
    queryKey: ['signupState'],
    queryFn: ({ signal }) => api('GET /api/auth/signupState', { signal }),
    retry: false,
  })
