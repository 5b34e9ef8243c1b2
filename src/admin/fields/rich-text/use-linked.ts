import { useQueries, useQuery } from '@tanstack/react-query'
import { ApiError } from '#admin/lib/api.ts'
import { modelsQuery } from '#admin/lib/queries.ts'
import type { Place } from '../field-props.ts'
import { type FoundTarget, foundTarget, targetQuery } from '../reference/reference-queries.ts'

/**
 * A document link: the `_id`, and the model's uid at the time when the link was created (`''` if the link names no
 * model).
 */
export interface Linked {
  document: string
  model: string
}

/**
 * Returns the targets of document links. A document is identified by its `_id` (docs/decisions/0042). If the link's
 * model does not contain the document, for example after a rename, all models of the app are searched.
 */
export function useLinked(place: Place, links: readonly Linked[]): FoundTarget[] {
  const named = useQueries({
    queries: links.map(({ model, document }) => ({
      ...targetQuery(place, model, document),
      enabled: model !== '',
    })),
  })
  const isElsewhere = links.map(({ model }, index) => {
    const { data, error } = named[index] ?? {}
    return model === '' || data === null || (error instanceof ApiError && error.status === 404)
  })
  const elsewhere = links.filter((_, index) => isElsewhere[index])
  const models = useQuery({ ...modelsQuery(place.p, place.a), enabled: elsewhere.length > 0 })
  const uids = models.data?.map(({ uid }) => uid) ?? []
  const others = useQueries({
    queries: elsewhere.flatMap(({ document }) => uids.map((uid) => targetQuery(place, uid, document))),
  })
  return links.map((link, index) => {
    const own = named[index]
    if (!isElsewhere[index] && own) return foundTarget([link.model], [own])
    const at = elsewhere.indexOf(link) * uids.length
    const found = foundTarget(uids, others.slice(at, at + uids.length))
    return models.isPending ? { ...found, document: undefined, isPending: true } : found
  })
}
