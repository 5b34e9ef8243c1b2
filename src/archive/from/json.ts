import type { Collector } from './collected.ts'
import { unmarked } from './exact-values.ts'
import { type JsonFile, jsonFiles, objectsIn, stemOfPages, totalOf } from './json-files.ts'
import { defineSource } from './source.ts'
import { stemOf } from './source-files.ts'
import { fileAddress, isRecord, momentOf, objectOf, textOf } from './values.ts'

/** Contents under the key that has them; null: the file is the list. */
interface List extends JsonFile {
  key: string | null
  model: string
}

/** Lists of objects: a list, an object in each line, or lists under the keys of an object. */
export const json = defineSource<List[]>({
  kind: 'json',
  async recognise(files) {
    const found = (await jsonFiles(files)).flatMap(listsOf)
    return found.length > 0 ? found : undefined
  },
  async convert(files, into, found) {
    for (const list of found) {
      await into.model({ uid: list.model, fields: [] })
      for await (const item of objectsIn(files, list, into, list.key)) await addItem(into, list, item)
      // Of several lists none is what a total counts.
      const isOnly = found.every((other) => other === list || other.file !== list.file)
      if (isOnly) into.expect(stemOfPages(list.model), list.model, totalOf(list.shape))
    }
  },
})

function listsOf(json: JsonFile): List[] {
  const { file, shape } = json
  const stem = stemOf(file.path)
  if (shape.type !== 'object') return isRecord(shape.first) ? [{ ...json, key: null, model: stem }] : []
  const lists = [...shape.keys].filter(([, { isList, first }]) => isList && isRecord(first))
  // One list is what the file is called after: `data`, `items`, `results` say nothing.
  return lists.map(([key]) => ({ ...json, key, model: lists.length === 1 ? stem : key }))
}

/** The id of an item: of MongoDB's exports, too. */
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

/** The first of these keys that has a moment. */
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

async function addItem(into: Collector, { file, model }: List, item: Record<string, unknown>): Promise<void> {
  const { _id, _sys, ...values } = item
  const id = idOf(item)
  const keepsId = id !== '' && textOf(values.id) === '' && !/^[0-9a-f]{24}$/.test(id)
  await into.add(model, {
    id,
    file: file.path,
    createdAt: momentIn(values, timesCreated, into.zone),
    updatedAt: momentIn(values, timesUpdated, into.zone),
    ...(values.draft === true || values.status === 'draft'
      ? { publishedAt: null, firstPublishedAt: null }
      : {}),
    values: objectOf([
      ...Object.entries(values).map(([key, value]): [string, unknown] => [key, plainValue(into, value)]),
      ...(keepsId ? [['sourceId', id] as const] : []),
    ]),
  })
}

/** A value as a field can have it: addresses of files are fetched, what MongoDB writes for moments and ids is what it means. */
export function plainValue(into: Collector, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => plainValue(into, item))
  if (typeof value === 'string') {
    const file = fileAddress(value)
    if (file) return into.remote(file.href)
    into.embedded(value)
    return /^\d{4}-\d\d-\d\d$/.test(value) ? (momentOf(value) ?? value) : value
  }
  if (!isRecord(value)) return value
  if (typeof value.$oid === 'string') return value.$oid
  if ('$date' in value) return momentOf(value.$date) ?? value.$date
  return objectOf(Object.entries(value).map(([key, inner]) => [key, plainValue(into, inner)]))
}
