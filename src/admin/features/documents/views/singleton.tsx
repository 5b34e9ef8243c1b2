import { IconFileText } from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { documentsKey } from '#admin/fields/reference/reference-queries.ts'
import { api } from '#admin/lib/api.ts'
import { appRoleQuery } from '#admin/lib/queries.ts'
import { useAccount } from '#admin/lib/session.ts'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import type { ListModel } from '../list/list-fields.ts'
import { listQuery } from '../list/list-query.ts'
import { withoutView } from '../list/list-search.ts'
import { writeSeenList } from '../list/seen-list.ts'

const firstQuery = (place: ModelPlace, query: string) =>
  queryOptions({
    queryKey: [...documentsKey(place, place.m), 'first', query],
    queryFn: async ({ signal }) => {
      const { documents } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc', {
        params: { ...place },
        query: `${query.replaceAll('+', '%20')}&limit=1`,
        signal,
      })
      return documents[0]?._id ?? null
    },
    staleTime: 0,
  })

interface SingletonProps {
  model: ListModel
  place: ModelPlace
  /** uid of the view. */
  view: string
  settings: ViewSettings
}

/**
 * A single-document view, which opens its document directly: the first match in the view's order, by default the
 * oldest. Without a match, an unsaved new document opens, or a message is shown to users who may not create documents.
 * The editor's link back leads to the list of all documents.
 */
export function Singleton({ model, place, view, settings }: SingletonProps) {
  const t = useTranslations('views')
  const account = useAccount()
  const navigate = useNavigate()
  const role = useQuery(appRoleQuery(place.p, place.a))
  const query = listQuery(model, { ...settings, sort: settings.sort ?? '_sys.createdAt' }, account?._id)
  const first = useQuery(firstQuery(place, query))
  const mayCreate = role.data?.rights.includes('document.write.own')
  const { data: id, isFetching } = first

  useEffect(() => {
    if (id === undefined || isFetching || (id === null && !mayCreate)) return
    const ids = id === null ? [] : [id]
    const list = { search: { view: withoutView }, query, top: 0, total: ids.length, first: 0, ids }
    writeSeenList(place, { ...list, singleton: view })
    if (id === null) void navigate({ to: '/$p/$a/$m/new', params: place, replace: true })
    else void navigate({ to: '/$p/$a/$m/$id', params: { ...place, id }, replace: true })
  }, [id, isFetching, mayCreate, navigate, place, query, view])

  if (first.error) return <ErrorState error={first.error} retry={() => void first.refetch()} />
  if (id === null && mayCreate === false)
    return (
      <EmptyState
        icon={<IconFileText size={36} stroke={1.4} aria-hidden="true" />}
        title={t('singletonEmpty')}
        text={t('singletonEmptyText')}
      />
    )
  return <SkeletonList rows={8} />
}
