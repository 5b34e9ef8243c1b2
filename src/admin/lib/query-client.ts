import { MutationCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'
import { errorText } from './errors.ts'
import { toast } from './toast.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** Whether the caller reports the error itself, so that no toast is shown. */
      ownErrors?: boolean
    }
  }
}

/**
 * Returns whether a retry may succeed: after a lost connection, a status of 500 or more, or an error that is not an
 * `ApiError`.
 */
function mayPass(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}

/** Returns a client without data, with the admin's settings. */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      // With `always`, a call without a network fails immediately. By default the client would pause it, and screens
      // would wait indefinitely.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 15_000,
        retry: (failures, error) => failures < 2 && mayPass(error),
      },
    },
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (!mutation.meta?.ownErrors) toast.error(errorText(error))
      },
    }),
  })

export const queryClient = createQueryClient()
