import { modelQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { Place } from '../field-props.ts'
import { targetQuery, titleOfDocument } from '../reference/reference-queries.ts'

/** Titles of the documents that a text links to and that are not published, nor `besides` with it. */
export async function findLinkedDrafts(
  _field: unknown,
  value: unknown,
  place: Place,
  besides: ReadonlySet<string>,
): Promise<string[]> {
  if (typeof value !== 'string' || !value.includes('data-document="')) return []
  const { body } = new DOMParser().parseFromString(value, 'text/html')
  const links = [...body.querySelectorAll<HTMLElement>('a[data-document][data-model]')]
  const titles = await Promise.all(
    links.map(async ({ dataset: { document: id = '', model = '' } }) => {
      // A model that is not there (any more) has no drafts.
      const found = await queryClient.fetchQuery(targetQuery(place, model, id)).catch(() => null)
      if (found?._sys.status !== 'draft' || besides.has(id)) return []
      return [titleOfDocument(await queryClient.fetchQuery(modelQuery(place.p, place.a, model)), found)]
    }),
  )
  return [...new Set(titles.flat())]
}
