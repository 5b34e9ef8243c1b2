import { readStoredJson, writeStored } from '#admin/base/storage.ts'
import { api } from '#admin/lib/api.ts'
import { currentAccount } from '#admin/lib/session.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { type ListSearch, readListSearch } from './list-search.ts'

/** A model's list as last shown in this tab, for the editor's link back and its previous/next links. */
export interface SeenList {
  search: ListSearch
  /** The query sent to the server, without paging. */
  query: string
  /** The scroll position, in pixels. */
  top: number
  total: number
  /** `_id`s in list order without a gap. `first`: the row index of the first one. */
  first: number
  ids: string[]
  /** uid of the single-document view that opened a document of this list. */
  singleton?: string
}

/** Returns a storage key that contains the account: the next user who signs in in this tab has a separate list. */
const keyOf = ({ p, a, m }: ModelPlace) => `imori-list/${currentAccount()?._id ?? ''}/${p}/${a}/${m}`

/** Stores the list for this tab. Storage errors are ignored. */
export function writeSeenList(place: ModelPlace, list: SeenList): void {
  writeStored(keyOf(place), JSON.stringify(list), 'sessionStorage')
}

export function readSeenList(place: ModelPlace): SeenList | null {
  const list = readStoredJson(keyOf(place), 'sessionStorage') as SeenList | null
  return list && { ...list, search: readListSearch({ ...list.search }) }
}

/** Adds a new document to the stored list, if that is the list of an empty single-document view. */
export function addCreated(place: ModelPlace, id: string): void {
  const list = readSeenList(place)
  if (list?.singleton && list.ids.length === 0) writeSeenList(place, { ...list, total: 1, ids: [id] })
}

/**
 * Returns whether there is a previous and a next document. Both are false for a document that the list did not show.
 */
export function hasNeighbours(list: SeenList | null, id: string): { previous: boolean; next: boolean } {
  const at = list ? list.ids.indexOf(id) : -1
  if (!list || at < 0) return { previous: false, next: false }
  return { previous: list.first + at > 0, next: list.first + at + 1 < list.total }
}

/** Maximum number of rows that one request loads in addition to the stored rows. */
const step = 50

/**
 * Returns the neighbouring `_id` in the order of the list as it was shown. Saving moves a document to the top of a list
 * sorted by changes, but must not change its neighbours. Loads more rows if the neighbour is not among the stored rows.
 * undefined: the list ends there, or did not show the document.
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

/** Loads further rows of the list. Skips documents that the list already has: a change may have moved them. */
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
