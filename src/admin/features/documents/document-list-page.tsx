import { usePrefetchQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { type ComponentProps, Suspense } from 'react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import { SkeletonList } from '#admin/ui/states.tsx'
import { DocumentList } from './list/document-list.tsx'
import { useListModel } from './list/list-fields.ts'
import { readListSearch } from './list/list-search.ts'
import { listState } from './views/view-state.ts'
import { viewsQuery } from './views/views.queries.ts'

const Singleton = lazyPart(async () => (await import('./views/singleton.tsx')).Singleton)

/** `/{p}/{a}/{m}` */
export function DocumentListPage() {
  const { p = '', a = '', m = '' } = useParams({ strict: false })
  const search = readListSearch(useSearch({ strict: false }))
  const place = { p, a, m }
  usePrefetchQuery(viewsQuery(place))
  const { data: model } = useSuspenseQuery(modelQuery(p, a, m))
  // If the views fail to load, the list is shown without views.
  const found = useQuery(viewsQuery(place))
  if (found.isPending) return <SkeletonList rows={8} />
  const views = found.data?.filter(({ modelUid }) => modelUid === m) ?? []
  const state = listState(search, views)
  // Another model or view remounts the list, because each has its own selection, columns and scroll position.
  return (
    <ListOfView
      key={`${p}/${a}/${m}/${state.view?.uid ?? ''}`}
      model={model}
      place={place}
      views={views}
      state={state}
      search={search}
    />
  )
}

function ListOfView(props: ComponentProps<typeof DocumentList>) {
  const { place, state } = props
  const { model, isPending } = useListModel(props.model, place, state.settings)
  if (isPending) return <SkeletonList rows={8} />
  if (state.view?.type !== 'SINGLETON') return <DocumentList {...props} model={model} />
  return (
    <Suspense fallback={<SkeletonList rows={8} />}>
      <Singleton model={model} place={place} view={state.view.uid} settings={state.settings} />
    </Suspense>
  )
}
