import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { modelQuery } from '#admin/lib/queries.ts'
import { DocumentList } from './list/document-list.tsx'

/** `/{p}/{a}/{m}` */
export function DocumentListPage() {
  const { p = '', a = '', m = '' } = useParams({ strict: false })
  const { data: model } = useSuspenseQuery(modelQuery(p, a, m))
  // Another model is another list: its selection, its columns, its place in the scroll.
  return <DocumentList key={`${p}/${a}/${m}`} model={model} place={{ p, a, m }} />
}
