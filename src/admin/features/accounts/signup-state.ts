import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'

/** Would the next account be the first one? Then there is nobody who could log in. */
export const isFirstAccountQuery = () =>
  queryOptions({
    queryKey: ['signupState'],
    queryFn: async ({ signal }) => (await api('GET /api/auth/signupState', { signal })).firstAccount,
    retry: false,
  })
