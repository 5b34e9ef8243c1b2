import { InvalidJson, JsonTooLarge } from '../../json.ts'
import type { LeftOutKind } from '../../publication-states.ts'
import { BrokenSource } from '../broken-source.ts'
import type { Collector } from '../collected.ts'
import { readExact, unmarked } from '../exact-values.ts'
import { type JsonPart, jsonParts } from '../json-parts.ts'
import type { Publication, Sign } from '../publication/publication-of.ts'
import { booleanOf } from '../publication/words.ts'
import type { SourceFile, SourceFiles } from '../source-files.ts'
import { isRecord, momentOf, textOf } from '../values.ts'

type Row = Record<string, unknown>

/**
 * Key paths of the objects that are read in parts, because the tables are in `db[].data` or, in other exports, in
 * `data`.
 */
const openedPaths = new Set(['db', 'db data', 'data'])
const isOpened = (keys: readonly string[]) => openedPaths.has(keys.join(' '))

const knownTables = new Set(['posts', 'users', 'tags', 'posts_tags', 'settings', 'roles'])

/**
 * Returns whether the file is an export of Ghost: it has tables under `data`, in the list `db` or next to Ghost's
 * `meta`.
 */
export async function isGhostExport(files: SourceFiles, file: SourceFile): Promise<boolean> {
  const beginning = await files.beginning(file)
  if (!beginning?.startsWith('{') || !/"(?:db"\s*:\s*\[|data"\s*:\s*\{)/.test(beginning)) return false
  let hasTables = false
  let hasMeta = false
  try {
    for await (const part of jsonParts(files.utf8(file), isOpened)) {
      const table = tableOf(part)
      if (table !== null && part.isItem && knownTables.has(table)) hasTables = true
      if (part.keys.at(-1) === 'meta' && part.keys.length < 3) hasMeta ||= isMeta(part.text)
      if (hasTables && (hasMeta || part.keys[0] === 'db')) return true
    }
  } catch (error) {
    // The readers of other formats report the errors in the file.
    if (!(error instanceof InvalidJson)) throw error
  }
  return false
}

function isMeta(text: Buffer): boolean {
  try {
    const meta = readExact(text)
    return isRecord(meta) && ('version' in meta || 'exported_on' in meta)
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error
    return false
  }
}

const tableOf = ({ keys }: JsonPart): string | null =>
  keys.at(-2) === 'data' && isOpened(keys.slice(0, -1)) ? (keys.at(-1) ?? null) : null

/** The tables that posts refer to, which are read before the posts. */
export interface GhostSite {
  posts: Map<string, { model: PostModel; isPublished: boolean }>
  tags: Map<string, Row>
  /** Only the columns of users that visitors can see, and `visibility`. */
  users: Map<string, Row>
  /** Ids of tags and authors by post, in their order. */
  tagsOf: Map<string, string[]>
  authorsOf: Map<string, string[]>
  metaOf: Map<string, Row>
  /** Columns of {@link seoColumns} with a value, by model. */
  columns: Map<string, Set<string>>
}

export type PostModel = 'post' | 'page'

/** Columns that few sites use. They are imported if at least one row has a value. */
export const seoColumns: readonly string[] = [
  ...['meta_title', 'meta_description', 'canonical_url'],
  ...['og_image', 'og_title', 'og_description', 'twitter_image', 'twitter_title', 'twitter_description'],
  ...['feature_image_caption', 'accent_color'],
]
export const imageColumns: ReadonlySet<string> = new Set(['og_image', 'twitter_image'])

/** Columns of users that Ghost shows to every visitor. */
const profileColumns = ['name', 'slug', 'bio', 'location', 'website', 'profile_image', 'cover_image']
const metaColumns = [...seoColumns, 'feature_image_alt', 'email_only']
const tagColumns = ['name', 'slug', 'description', 'feature_image', 'image', 'visibility', ...seoColumns]
const tagTimes = ['created_at', 'updated_at']
/** Columns of posts and tags that are not imported: scripts, templates, and subjects of newsletters. */
const leftColumns = [
  'codeinjection_head',
  'codeinjection_foot',
  'custom_template',
  'email_subject',
  'frontmatter',
]

/** Maximum size in bytes of the rows that are kept in memory. */
const maxKeptBytes = 64_000_000

export const idIn = (row: Row, column: string): string => unmarked(textOf(row[column]))

/**
 * Yields the rows of the tables that `isWanted` selects. Reports unreadable rows and a truncated end as lost. Throws
 * `BrokenSource` if nothing can be read.
 */
export async function* rowsOf(
  files: SourceFiles,
  file: SourceFile,
  into: Pick<Collector, 'lost'>,
  isWanted: (table: string, text: Buffer) => boolean,
): AsyncGenerator<{ table: string; row: Row }> {
  let number = 0
  try {
    for await (const part of jsonParts(files.utf8(file), isOpened)) {
      const table = tableOf(part)
      number += 1
      if (table === null || isNull(part.text) || !isWanted(table, part.text)) continue
      const row = part.isItem ? readRow(part.text) : 'json'
      if (isRecord(row)) yield { table, row }
      else into.lost(file.path, `${file.path}: ${table}`, row)
    }
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error
    if (number === 0) throw new BrokenSource('broken', [{ file: file.path, why: 'json' }])
    into.lost(file.path, file.path, error instanceof JsonTooLarge ? error.why : 'json')
  }
}

const isNull = (text: Buffer) => text.length === 4 && text.toString('latin1') === 'null'

/** Returns the row, or the reason why it is unreadable. */
function readRow(text: Buffer): Row | string {
  try {
    const row = readExact(text)
    return isRecord(row) ? row : 'json'
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error
    return error instanceof JsonTooLarge ? error.why : 'json'
  }
}

const ownTables = new Set(['posts', 'tags', 'users', 'posts_tags', 'posts_authors', 'posts_meta'])

const kindsOfTables: readonly [RegExp, LeftOutKind][] = [
  [/^(?:api_keys|tokens|sessions|invites|accesstokens|refreshtokens|clients)$/, 'secret'],
  [
    /^(?:users|members?(?:_.*)?|subscribers|emails?(?:_.*)?|suppressions|donation_.*|comments?(?:_.*)?)$/,
    'account',
  ],
  [/^(?:settings|custom_theme_settings)$/, 'setting'],
  [/_revisions$/, 'private'],
]
const kindOfTable = (table: string): LeftOutKind =>
  kindsOfTables.find(([pattern]) => pattern.test(table))?.[1] ?? 'system'

/**
 * First pass: reads the imported tables, without the texts of posts, and reports the tables and columns that are not
 * imported. Throws `BrokenSource`.
 */
export async function readSite(files: SourceFiles, file: SourceFile, into: Collector): Promise<GhostSite> {
  const site: GhostSite = {
    posts: new Map(),
    tags: new Map(),
    users: new Map(),
    tagsOf: new Map(),
    authorsOf: new Map(),
    metaOf: new Map(),
    columns: new Map(),
  }
  const relations: Record<'tags' | 'authors', Map<string, Relation[]>> = {
    tags: new Map(),
    authors: new Map(),
  }
  let kept = 0
  const isWanted = (table: string, text: Buffer) => {
    const isOwn = ownTables.has(table)
    if (!isOwn || table === 'users') into.leaveOut(kindOfTable(table), table)
    if (isOwn && table !== 'posts') kept += text.length
    if (kept > maxKeptBytes) throw new BrokenSource('tooComplex', [{ file: file.path, why: 'bytes' }])
    return isOwn
  }
  for await (const { table, row } of rowsOf(files, file, into, isWanted)) {
    const id = idIn(row, 'id')
    if (table === 'posts') notePost(into, site, row)
    else if (table === 'tags') {
      noteColumns(into, site, 'tag', table, row)
      site.tags.set(id, picked(row, [...tagColumns, ...tagTimes]))
    } else if (table === 'users') site.users.set(id, picked(row, [...profileColumns, 'visibility']))
    else if (table === 'posts_meta')
      site.metaOf.set(idIn(row, 'post_id'), picked(row, [...metaColumns, ...leftColumns]))
    else if (table === 'posts_tags') noteRelation(relations.tags, row, 'tag_id')
    else noteRelation(relations.authors, row, 'author_id')
  }
  for (const [post, list] of relations.tags) site.tagsOf.set(post, inOrder(list))
  for (const [post, list] of relations.authors) site.authorsOf.set(post, inOrder(list))
  for (const [post, meta] of site.metaOf) {
    const known = site.posts.get(post)
    if (!known) continue
    noteColumns(into, site, known.model, 'posts', meta)
    if (booleanOf(meta.email_only) === true) known.isPublished = false
  }
  return site
}

const picked = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(columns.flatMap((column) => (hasValue(row[column]) ? [[column, row[column]]] : [])))

const hasValue = (value: unknown) => value !== undefined && value !== null && value !== ''

interface Relation {
  id: string
  order: number
}

function noteRelation(relations: Map<string, Relation[]>, row: Row, column: string): void {
  const post = idIn(row, 'post_id')
  const relation = { id: idIn(row, column), order: Number(row.sort_order) || 0 }
  if (post === '' || relation.id === '') return
  const known = relations.get(post)
  if (known) known.push(relation)
  else relations.set(post, [relation])
}

const inOrder = (relations: Relation[]): string[] => [
  ...new Set(relations.sort((one, other) => one.order - other.order).map(({ id }) => id)),
]

export const modelOfPost = ({ type, page }: Row): PostModel =>
  type === 'page' || (!hasValue(type) && booleanOf(page) === true) ? 'page' : 'post'

function notePost(into: Collector, site: GhostSite, row: Row): void {
  const model = modelOfPost(row)
  const id = idIn(row, 'id')
  noteColumns(into, site, model, 'posts', row)
  site.posts.set(id, { model, isPublished: publicationOfPost(into, row, {}).state === 'published' })
  const author = idIn(row, 'author_id')
  // Until version 1 a post had one author.
  if (author !== '') site.authorsOf.set(id, [author])
}

function noteColumns(into: Collector, site: GhostSite, model: string, table: string, row: Row): void {
  const columns = site.columns.get(model) ?? new Set()
  site.columns.set(model, columns)
  for (const column of seoColumns) if (hasValue(row[column])) columns.add(column)
  for (const column of leftColumns) if (hasValue(row[column])) into.leaveOut('system', `${table}.${column}`)
}

/** Returns a time as ISO 8601. Exports before version 1 contain milliseconds; times in other exports are in UTC. */
export function timeIn(row: Row, column: string): string | null {
  const value = row[column]
  return momentOf(typeof value === 'number' ? new Date(value) : value, 'Z')
}

/** Returns the statement of a column that must have a value. Without a value, the state is `unknown`. */
export function wordSign(row: Row, key: string): Sign | Publication {
  return hasValue(row[key])
    ? { kind: 'status', key, value: row[key] }
    : { state: 'unknown', statement: `${key}: –` }
}

/**
 * Returns the statements of the column `visibility`. A filter, or a segment of members (`label:vip`), restricts the row
 * to members.
 */
export function visibilitySigns(row: Row): (Sign | Publication)[] {
  // Early exports lack the column, because all content was public.
  if (!('visibility' in row)) return []
  const value = textOf(row.visibility)
  return value === 'filter' || value.includes(':')
    ? [{ state: 'hidden', statement: `visibility: ${value.slice(0, 60)}` }]
    : [wordSign(row, 'visibility')]
}

/** Returns the visibility of a post. `meta`: its row of `posts_meta`. */
export function publicationOfPost(into: Collector, row: Row, meta: Row): Publication {
  const { type, published_at } = row
  const at = timeIn(row, 'published_at')
  const isKnown = !hasValue(type) || type === 'post' || type === 'page'
  const publication = into.publicationOf(
    wordSign(row, 'status'),
    ...visibilitySigns(row),
    ...(hasValue(published_at)
      ? [{ kind: 'publishedAt' as const, key: 'published_at', value: at ?? published_at }]
      : []),
    { kind: 'hidden', key: 'email_only', value: meta.email_only },
    ...(isKnown ? [] : [{ state: 'unknown' as const, statement: `type: ${textOf(type).slice(0, 60)}` }]),
  )
  return publication.state === 'scheduled' && at ? { ...publication, at } : publication
}
