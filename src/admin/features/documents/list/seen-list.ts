import { readStoredJson, writeStored } from '#admin/base/storage.ts'
import { api } from '#admin/lib/api.ts'
import { currentAccount } from '#admin/lib/session.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { type ListSearch, readListSearch } from './list-search.ts'

/** A model's list as it was last seen in this tab: what editors go back to, and whose order they follow. */
export interface SeenList {
  search: ListSearch
  /** What the server was asked, without paging. */
  query: string
  /** How far it was scrolled, in pixels. */
  top: number
  total: number
  /** `_id`s in the order of the list, without a gap; the first of them is the list's row `first`. */
  first: number
  ids: string[]
}

/** Who signs in next in this tab has a list of their own. */
const keyOf = ({ p, a, m }: ModelPlace) => `imori-list/${currentAccount()?._id ?? ''}/${p}/${a}/${m}`

/** Keeps it for this tab; where nothing can be kept, the list is shown from its beginning. */
export function writeSeenList(place: ModelPlace, list: SeenList): void {
  writeStored(keyOf(place), JSON.stringify(list), 'sessionStorage')
}

export function readSeenList(place: ModelPlace): SeenList | null {
  const list = readStoredJson(keyOf(place), 'sessionStorage') as SeenList | null
  return list && { ...list, search: readListSearch({ ...list.search }) }
}

/** Is there a document before and after this one? Both false for one that the list did not show. */
export function hasNeighbours(list: SeenList | null, id: string): { previous: boolean; next: boolean } {
  const at = list ? list.ids.indexOf(id) : -1
  if (!list || at < 0) return { previous: false, next: false }
  return { previous: list.first + at > 0, next: list.first + at + 1 < list.total }
}

/** So many rows are asked for when the known ones are at their end. */
const step = 50

/**
 * The `_id` beside this one in the order of the list as it was seen: editing one moves it to the top of a list by
 * changes, and the next one is still the next. Asks the server when the known rows are at their end. Undefined at an
 * end of the list.
 */
export async function neighbourOf(
  place: ModelPlace,
  id: string,
  direction: 'previous' | 'next',
): Promise<string | undefined> {
  const list = readSeenList(place)
  const at = list ? list.ids.indexOf(id) : -1
  if (!list || at < 0) return undefined
  const known = list.ids[direction === 'next' ? at + 1 : at - 1]
  if (known !== undefined) return known
  const { ids, first } = direction === 'next' ? await after(place, list) : await before(place, list)
  writeSeenList(place, { ...list, ids, first })
  return ids[ids.indexOf(id) + (direction === 'next' ? 1 : -1)]
}

async function after(place: ModelPlace, list: SeenList): Promise<Pick<SeenList, 'first' | 'ids'>> {
  const found = await rows(place, list, list.first + list.ids.length, step)
  return { first: list.first, ids: [...list.ids, ...found] }
}

async function before(place: ModelPlace, list: SeenList): Promise<Pick<SeenList, 'first' | 'ids'>> {
  const skip = Math.max(0, list.first - step)
  const found = await rows(place, list, skip, list.first - skip)
  return { first: list.first - found.length, ids: [...found, ...list.ids] }
}

/** Rows of the list that are not known yet: what changed meanwhile may have moved. */
async function rows(place: ModelPlace, list: SeenList, skip: number, limit: number): Promise<string[]> {
  if (limit === 0) return []
  const query = new URLSearchParams(list.query)
  query.set('skip', String(skip))
  query.set('limit', String(limit))
  const { documents } = await api('GET /api/project/{p}/app/{a}/model/{m}/doc', {
    params: { ...place },
    query,
  })
  return documents.map(({ _id }) => _id).filter((id) => !list.ids.includes(id))
}
