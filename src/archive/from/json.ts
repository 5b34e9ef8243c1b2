import { isContent as isExpanded } from '../shapes.ts'
import type { Collector } from './collected.ts'
import { DatePaths, dateIn } from './date-paths.ts'
import { unmarked } from './exact-values.ts'
import { type JsonFile, jsonFiles, objectsIn, stemOfPages, totalOf } from './json-files.ts'
import type { Publication, Sign } from './publication/publication-of.ts'
import { signsIn } from './publication/signs.ts'
import { booleanOf } from './publication/words.ts'
import { areAccounts, privateListOf, withoutSecrets } from './secret-keys.ts'
import { defineSource } from './source.ts'
import { stemOf } from './source-files.ts'
import { fileAddress, isRecord, momentOf, objectOf, textOf } from './values.ts'

/** A list of contents. `key`: the key of the list; null: the file itself is the list. */
interface List extends JsonFile {
  key: string | null
  model: string
}

/** Lists of objects: a list, one object per line, or lists under the keys of an object. */
export const json = defineSource<List[]>({
  kind: 'json',
  async recognise(files) {
    const found = (await jsonFiles(files)).flatMap(listsOf)
    return found.length > 0 ? found : undefined
  },
  async convert(files, into, found) {
    into.isGeneric = true
    for (const list of found) {
      const kind = found.length > 1 ? privateKindOf(list) : undefined
      if (kind) {
        for await (const _ of objectsIn(files, list, into, list.key)) into.leaveOut(kind, list.model)
        continue
      }
      await into.model({ uid: list.model, fields: [] })
      // First pass: finds the keys that contain only dates.
      const dates = new DatePaths(into.zone)
      for await (const item of objectsIn(files, list, { lost: () => {} }, list.key))
        for (const [key, value] of Object.entries(item)) dates.add(value, key)
      let number = 0
      for await (const item of objectsIn(files, list, into, list.key))
        await addItem(into, list, item, { dates, number: ++number })
      // In a file with several lists, it is unclear which list a total counts.
      const isOnly = found.every((other) => other === list || other.file !== list.file)
      if (isOnly) into.expect(stemOfPages(list.model), list.model, totalOf(list.shape))
    }
  },
})

/**
 * Returns a draft state if the values are newer than the published ones, as in responses of the management APIs of
 * Contentful and Newt.
 */
function editsOf({ sys, _sys }: Record<string, unknown>): Publication[] {
  const { version, publishedVersion } = isRecord(sys) ? sys : {}
  if (typeof version === 'number' && typeof publishedVersion === 'number' && version > publishedVersion + 1)
    return [{ state: 'draft', statement: 'sys.version > sys.publishedVersion' }]
  const { publishedAt, updatedAt } = isRecord(_sys) && isRecord(_sys.raw) ? _sys.raw : {}
  const [published, updated] = [momentOf(publishedAt), momentOf(updatedAt)]
  return published && updated && Date.parse(updated) - Date.parse(published) > 1_000
    ? [{ state: 'draft', statement: '_sys.raw.updatedAt > _sys.raw.publishedAt' }]
    : []
}

/** Returns a hidden state for texts of Ghost and WordPress with a part that visitors do not see. */
const partsForMembers = (values: Record<string, unknown>): Publication[] =>
  Object.entries(values).flatMap(([key, value]): Publication[] => {
    const isPart =
      typeof value === 'string' &&
      /<!--(?:members-only| wp:premium-content\/| wp:jetpack\/paywall)/.test(value)
    return isPart ? [{ state: 'hidden', statement: `${key}: members only` }] : []
  })

const isUnpublished = ({ state }: Publication) => state !== 'published' && state !== 'unknown'

/**
 * Returns a draft state if a nested content is not published, because its values would be published with the outer
 * content. Other nested objects, such as addresses with a `state`, are not contents.
 */
function statesInside(into: Collector, value: unknown, path = ''): Publication[] {
  if (Array.isArray(value)) return value.flatMap((item) => statesInside(into, item, path))
  // Expanded contents of Newt become separate contents.
  if (!isRecord(value) || isExpanded(value)) return []
  const isContent =
    path !== '' && ['id', '_id', 'documentId', 'slug'].some((key) => textOf(value[key]) !== '')
  const signs = isContent ? signsIn(value).filter(isClear) : []
  const found = signs.map((sign) => into.publicationOf(sign)).find(isUnpublished)
  if (found) return [{ state: 'draft', statement: `${path}${found.statement}` }]
  for (const [key, inner] of Object.entries(value)) {
    const [first] = statesInside(into, inner, `${path}${key}.`)
    if (first) return [first]
  }
  return []
}

/**
 * Returns whether the statement can only be about visibility. Others are ambiguous: a file may expire, and a user may
 * have a password.
 */
const isClear = ({ kind, value }: Sign) =>
  ['status', 'published', 'draft', 'publishedAt'].includes(kind) ||
  (['hidden', 'archived', 'trashed'].includes(kind) && booleanOf(value) === true) ||
  (['archived', 'trashed'].includes(kind) && momentOf(value) !== null)

/**
 * Returns the kind of private data in a list (accounts, settings or keys) according to the name of its key or file.
 * undefined: contents.
 */
function privateKindOf({ key, model, shape }: List) {
  if (key !== null && privateListOf(key)) return privateListOf(key)
  const first = shape.type === 'object' ? shape.keys.get(key ?? '')?.first : shape.first
  const kind = privateListOf(model)
  return kind === 'account' && !areAccounts(Object.keys(isRecord(first) ? first : {})) ? undefined : kind
}

function listsOf(json: JsonFile): List[] {
  const { file, shape } = json
  const stem = stemOf(file.path)
  if (shape.type !== 'object') return isRecord(shape.first) ? [{ ...json, key: null, model: stem }] : []
  const lists = [...shape.keys].filter(([, { isList, first }]) => isList && isRecord(first))
  // A single list is named after the file, because keys like `data`, `items` or `results` are not specific.
  return lists.map(([key]) => ({ ...json, key, model: lists.length === 1 ? stem : key }))
}

/** Returns the id of an item, also in the notation of MongoDB exports. */
export function idOf(item: Record<string, unknown>): string {
  const { _id, id } = item
  const own = isRecord(_id) ? _id.$oid : _id
  return unmarked(textOf(own) || textOf(id))
}

const timesCreated = [
  'createdAt',
  'created_at',
  'date_created',
  'created',
  'publishedAt',
  'published_at',
  'date',
]
const timesUpdated = ['updatedAt', 'updated_at', 'date_updated', 'updated', 'modifiedAt', 'modified_at']

/** Returns the first time found under the keys, in the order of `keys`. null: no key has a time. */
export function momentIn(
  item: Record<string, unknown>,
  keys: readonly string[],
  zone: string,
): string | null {
  for (const key of keys) {
    const moment = Object.hasOwn(item, key) ? momentOf(item[key], zone) : null
    if (moment) return moment
  }
  return null
}

async function addItem(
  into: Collector,
  { file, model }: List,
  item: Record<string, unknown>,
  { dates, number }: { dates: DatePaths; number: number },
): Promise<void> {
  const { _id, _sys, ...values } = item
  const id = idOf(item)
  const keepsId = id !== '' && textOf(values.id) === '' && !/^[0-9a-f]{24}$/.test(id)
  await into.add(model, {
    id,
    file: file.path,
    createdAt: momentIn(values, timesCreated, into.zone),
    updatedAt: momentIn(values, timesUpdated, into.zone),
    publication: into.publicationOf(
      ...signsIn(item),
      ...editsOf(item),
      ...partsForMembers(values),
      ...statesInside(into, values),
    ),
    values: objectOf([
      ...Object.entries(withoutSecrets(into, values, model)).map(([key, value]): [string, unknown] => [
        key,
        plainValue(into, value, { model, label: id || `${file.path}:${number}`, dates }, key),
      ]),
      ...(keepsId ? [['sourceId', id] as const] : []),
    ]),
  })
}

/** The content that a value belongs to, and the paths in its model that contain dates. */
interface ValueContext {
  model: string
  label: string
  dates: DatePaths
}

/**
 * Converts a value to a field value: marks file URLs for fetching, and resolves dates and MongoDB's notations for times
 * and ids. `path`: the keys that lead to the value, such as `seo.published`.
 */
export function plainValue(into: Collector, value: unknown, context: ValueContext, path: string): unknown {
  const { model, label, dates } = context
  if (Array.isArray(value)) return value.map((item) => plainValue(into, item, context, path))
  if (typeof value === 'string') {
    const file = fileAddress(value)
    if (file) return into.remote(file.href)
    into.embedded(value)
    const read = dates.read(value, path)
    if (read === null) into.note('undated', model, `${label} (${path})`)
    return read
  }
  if (!isRecord(value)) return value
  if (typeof value.$oid === 'string') return value.$oid
  if ('$date' in value) return dateIn(into, value.$date, model, `${label} (${path})`)
  return objectOf(
    Object.entries(value).map(([key, inner]) => [key, plainValue(into, inner, context, `${path}.${key}`)]),
  )
}
