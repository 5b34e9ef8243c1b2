import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'

/** Puts a list in another order: shown at once, and put back when the server says no. */
export function useReorder<Item>(queryKey: QueryKey, send: (order: Item[]) => Promise<unknown>) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: send,
    onMutate: async (order: Item[]) => {
      await queryClient.cancelQueries({ queryKey, exact: true })
      const before = queryClient.getQueryData(queryKey)
      queryClient.setQueryData(queryKey, order)
      return before
    },
    onError: (_error, _order, before) => queryClient.setQueryData(queryKey, before),
    onSettled: () => queryClient.invalidateQueries({ queryKey, exact: true }),
  })
}
