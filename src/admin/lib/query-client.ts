import { MutationCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'
import { errorText } from './errors.ts'
import { toast } from './toast.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The caller tells of the error itself: no toast. */
      ownErrors?: boolean
    }
  }
}

/** Is it worth asking again? A refusal stays a refusal; a lost connection or a 5xx may pass. */
function mayPass(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}

export const queryClient = new QueryClient({
  defaultOptions: {
    // Without a network a call fails and says so. Left to itself the client would hold it back, and screens wait for ever.
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
