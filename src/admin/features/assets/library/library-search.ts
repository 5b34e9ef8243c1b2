/** The URL state of the library. Omitted properties have their defaults. */
export interface LibrarySearch {
  /** The visible page of the list, counted from 1. Returning to the list restores this position. */
  page?: number
  search?: string
  /** File types, in the format of the `accept` attribute of `<input type=file>`. */
  accept?: string
  createdBy?: string
  updatedBy?: string
  /** `_id`s of tags, separated by commas, or `none`. */
  tags?: string
  missingAlt?: 'true'
  duplicates?: 'true'
  trash?: 'true'
  order?: Order
  view?: 'list'
  /** `_id` of the asset whose details are open. */
  open?: string
}

/** The toolbar's selections that filter the list. */
export const filterParts = [
  'accept',
  'tags',
  'createdBy',
  'updatedBy',
] as const satisfies readonly (keyof LibrarySearch)[]

/** The offered orders; the first is the default. */
export const orders = [
  '-createdAt',
  'createdAt',
  '-updatedAt',
  'fileName',
  '-fileName',
  '-fileSize',
  'fileSize',
] as const
export type Order = (typeof orders)[number]

const id = /^[0-9a-f]{24}$/
/** The valid format of each property. */
const patterns = {
  search: /^.{1,200}$/su,
  accept: /^[\w.*/+,-]{1,200}$/,
  createdBy: id,
  updatedBy: id,
  tags: /^(none|[0-9a-f]{24}(,[0-9a-f]{24}){0,99})$/,
  missingAlt: /^true$/,
  duplicates: /^true$/,
  trash: /^true$/,
  order: new RegExp(`^(${orders.join('|')})$`),
  view: /^list$/,
  open: id,
} satisfies Record<Exclude<keyof LibrarySearch, 'page'>, RegExp>

/** Parses a library's URL, which may contain anything: invalid parts are ignored. */
export function readLibrarySearch(search: Record<string, unknown>): LibrarySearch {
  const read: Record<string, unknown> = {}
  for (const [name, pattern] of Object.entries(patterns)) {
    const value = search[name]
    if (typeof value === 'string' && pattern.test(value) && value.trim() !== '') read[name] = value
  }
  const page = Number(search.page)
  if (Number.isInteger(page) && page > 1 && page <= 100_000) read.page = page
  return read as LibrarySearch
}

/** Returns the properties that determine which assets are listed, and in which order. */
export function filterOf({
  page: _page,
  view: _view,
  open: _open,
  ...filter
}: LibrarySearch): Omit<LibrarySearch, 'page' | 'view' | 'open'> {
  return filter
}

/**
 * Returns whether a search or filter is set. The order does not count, and the trash is a list of its own instead of a
 * filter.
 */
export function isNarrowed(search: LibrarySearch): boolean {
  const { order: _, trash: __, ...rest } = filterOf(search)
  return Object.keys(rest).length > 0
}

/** Returns the state with one property set or removed (`undefined`), at the first page. */
export function withPart<Name extends keyof LibrarySearch>(
  { page: _, ...search }: LibrarySearch,
  name: Name,
  value: LibrarySearch[Name] | undefined,
): LibrarySearch {
  const { [name]: __, ...rest } = search as LibrarySearch
  return value === undefined ? rest : { ...rest, [name]: value }
}
