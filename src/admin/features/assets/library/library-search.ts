/** What the address of the library says. Everything left out is as usual. */
export interface LibrarySearch {
  /** The page of the list that is in sight, from 1: where it was left. */
  page?: number
  search?: string
  /** As of an `<input type=file>`. */
  accept?: string
  createdBy?: string
  updatedBy?: string
  /** `_id`s, separated by commas, or `none`. */
  tags?: string
  missingAlt?: 'true'
  duplicates?: 'true'
  trash?: 'true'
  order?: Order
  view?: 'list'
  /** `_id` of the asset whose details are open. */
  open?: string
}

/** What is chosen in the boxes of the toolbar and leaves something out. */
export const filterParts = [
  'accept',
  'tags',
  'createdBy',
  'updatedBy',
] as const satisfies readonly (keyof LibrarySearch)[]

/** The orders that are offered; the first is the usual one. */
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
/** What each part must look like. */
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

/** Reads a library's address that anybody may have written: what makes no sense is left out. */
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

/** The part of an address that says which assets are shown. */
export function filterOf({
  page: _page,
  view: _view,
  open: _open,
  ...filter
}: LibrarySearch): Omit<LibrarySearch, 'page' | 'view' | 'open'> {
  return filter
}

/** Does the filter leave anything out? An order does not, and the trash is a place of its own. */
export function isNarrowed(search: LibrarySearch): boolean {
  const { order: _, trash: __, ...rest } = filterOf(search)
  return Object.keys(rest).length > 0
}

/** An address with one part set, or taken out (`undefined`). Another list begins at its beginning. */
export function withPart<Name extends keyof LibrarySearch>(
  { page: _, ...search }: LibrarySearch,
  name: Name,
  value: LibrarySearch[Name] | undefined,
): LibrarySearch {
  const { [name]: __, ...rest } = search as LibrarySearch
  return value === undefined ? rest : { ...rest, [name]: value }
}
