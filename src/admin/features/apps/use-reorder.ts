import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import { modelsQuery } from '#admin/lib/queries.ts'
import type { Model } from '#shared/contract/models.ts'

/** Returns a mutation that reorders the models of an app, in its list and in the navigation rail. */
export const useModelOrder = (p: string, a: string) =>
  useReorder<Model>(modelsQuery(p, a).queryKey, (order) =>
    api('POST /api/project/{p}/app/{a}/model:updateOrder', {
      params: { p, a },
      body: { modelIds: order.map((model) => model.uid) },
    }),
  )

/** Returns a mutation that reorders a list optimistically, and restores the order if the request fails. */
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
