import { queryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import { appQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { View } from '#shared/contract/views.ts'
import type { ModelPlace } from '../documents.queries.ts'

type AppPlace = Pick<ModelPlace, 'p' | 'a'>

/** Loads all views of the app that the caller can see, for all models. */
export const viewsQuery = ({ p, a }: AppPlace) =>
  queryOptions({
    queryKey: [...appQuery(p, a).queryKey, 'views'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/appView', { params: { p, a }, signal })).appViews,
  })

/** Puts a view into the cache: at its position, or after the last view of its kind (shared or personal). */
function put(place: AppPlace, view: View): void {
  queryClient.setQueryData(viewsQuery(place).queryKey, (views = []) => {
    if (views.some(({ uid }) => uid === view.uid))
      return views.map((one) => (one.uid === view.uid ? view : one))
    const shared = views.filter(({ personal }) => !personal)
    const own = views.filter(({ personal }) => personal)
    return view.personal ? [...shared, ...own, view] : [...shared, view, ...own]
  })
}

export type NewView = Pick<View, 'name' | 'type' | 'personal' | 'settings'>

/** Creates a view with the name, type, visibility and settings of `NewView`. Other properties are ignored. */
export async function createView(
  { p, a, m }: ModelPlace,
  { name, type, personal, settings }: NewView,
): Promise<View> {
  const { appView } = await api('POST /api/project/{p}/app/{a}/appView', {
    params: { p, a },
    body: { data: { modelUid: m, name, type, personal, settings } },
  })
  put({ p, a }, appView)
  return appView
}

/** Updates a view. Throws with status 409 if the view was changed since it was read. */
export async function updateView(
  { p, a }: AppPlace,
  view: View,
  data: Partial<Pick<View, 'name' | 'type' | 'settings'>>,
): Promise<View> {
  try {
    const { appView } = await api('PUT /api/project/{p}/app/{a}/appView/{id}', {
      params: { p, a, id: view.uid },
      body: { data: { ...data, version: view.version } },
    })
    put({ p, a }, appView)
    return appView
  } catch (error) {
    void queryClient.invalidateQueries({ queryKey: viewsQuery({ p, a }).queryKey })
    throw error
  }
}

export async function deleteView({ p, a }: AppPlace, { uid }: View): Promise<void> {
  await api('DELETE /api/project/{p}/app/{a}/appView/{id}', { params: { p, a, id: uid } })
  queryClient.setQueryData(viewsQuery({ p, a }).queryKey, (views = []) =>
    views.filter((view) => view.uid !== uid),
  )
}

/** Sets the order of the model's shared or personal views. */
export async function orderViews({ p, a, m }: ModelPlace, personal: boolean, order: View[]): Promise<void> {
  const { appViews } = await api('POST /api/project/{p}/app/{a}/appView:updateOrder', {
    params: { p, a },
    body: { modelUid: m, personal, appViewIds: order.map(({ uid }) => uid) },
  })
  queryClient.setQueryData(viewsQuery({ p, a }).queryKey, appViews)
}
