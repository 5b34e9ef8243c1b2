import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { customTypesQuery, modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import type { Model } from '#shared/contract/models.ts'

/** Returns a function that navigates to a newly created model and shows a toast. */
export function useShowMade(p: string): (a: string, model: Model, text: string) => Promise<void> {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async (a, model, text) => {
    queryClient.setQueryData(modelQuery(p, a, model.uid).queryKey, model)
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: modelsQuery(p, a).queryKey }),
      queryClient.invalidateQueries({ queryKey: customTypesQuery(p, a).queryKey }),
    ])
    await navigate({ to: '/$p/$a/$m/-/model', params: { p, a, m: model.uid } })
    toast.success(text)
  }
}
