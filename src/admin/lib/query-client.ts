import { MutationCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'
import { errorText } from './errors.ts'
import { toast } from './toast.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The caller reports the error itself, so no toast is shown. */
      ownErrors?: boolean
    }
  }
}

/** Whether a retry may succeed: after a lost connection or a 5xx it may, after any other refusal it will not. */
function mayPass(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}

/** A client without data, with the settings of the admin. */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      // `always`: without a network a call fails at once. By default the client would pause it, and screens would wait
      // indefinitely.
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
