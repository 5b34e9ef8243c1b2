import { modelsQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { Place } from '../field-props.ts'
import { findTarget, titleOfDocument } from '../reference/reference-queries.ts'

/** Returns the titles of the linked documents that are not published, except those in `besides`. */
export async function findLinkedDrafts(
  _field: unknown,
  value: unknown,
  place: Place,
  besides: ReadonlySet<string>,
): Promise<string[]> {
  if (typeof value !== 'string' || !value.includes('data-document="')) return []
  const { body } = new DOMParser().parseFromString(value, 'text/html')
  const links = [...body.querySelectorAll<HTMLElement>('a[data-document]')]
  const titles = await Promise.all(
    links.map(async ({ dataset: { document: id = '', model = '' } }) => {
      const found = (await findTarget(place, model ? [model] : [], id)) ?? (await findElsewhere(place, id))
      if (found?.document._sys.status !== 'draft' || besides.has(id)) return []
      return [titleOfDocument(found.model, found.document)]
    }),
  )
  return [...new Set(titles.flat())]
}

/** Searches all models of the app, because the model may have been renamed since the link was created. */
async function findElsewhere(place: Place, id: string) {
  const models = await queryClient.fetchQuery(modelsQuery(place.p, place.a))
  return findTarget(
    place,
    models.map(({ uid }) => uid),
    id,
  )
}
