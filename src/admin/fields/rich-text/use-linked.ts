import { useQueries, useQuery } from '@tanstack/react-query'
import { ApiError } from '#admin/lib/api.ts'
import { modelsQuery } from '#admin/lib/queries.ts'
import type { Place } from '../field-props.ts'
import { type FoundTarget, foundTarget, targetQuery } from '../reference/reference-queries.ts'

/** A link to a document: its `_id`, and the uid that its model had when the link was made, '' for none. */
export interface Linked {
  document: string
  model: string
}

/**
 * What links lead to. A document is known by its `_id` wherever it is (docs/decisions/0042): one that is not where its
 * link says, because the model has another name by now, is looked for in all models of the app.
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
