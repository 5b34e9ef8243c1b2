import type { FieldHint } from '../hints.ts'
import type { Collector, SourceRecord } from './collected.ts'
import { type JsonFile, jsonFiles, objectsIn, stemOfPages, totalOf, wholeJson } from './json-files.ts'
import { defineSource } from './source.ts'
import { type SourceFiles, stemOf } from './source-files.ts'
import { fileAddress, isRecord, madeId, momentOf, objectOf, textOf } from './values.ts'

/**
 * `contents`: a response with a list of contents; `list`: only the list; `object`: a single content; `schema`: the
 * schema of an API.
 */
type Kind = 'contents' | 'list' | 'object' | 'schema'
interface Part extends JsonFile {
  kind: Kind
  /** Name of the endpoint. */
  model: string
}

/** Responses of the microCMS content API in files, with its exported schemas. */
export const microcms = defineSource<Part[]>({
  kind: 'microcms',
  async recognise(files) {
    const found = (await jsonFiles(files)).flatMap((json): Part[] => {
      const kind = kindOf(json)
      return kind ? [{ ...json, kind, model: modelOf(json.file.path) }] : []
    })
    return found.some(({ kind }) => kind !== 'schema') ? found : undefined
  },
  async convert(files, into, found) {
    const schemas = new Map<string, Schema>()
    for (const part of found)
      if (part.kind === 'schema') schemas.set(part.model, readSchema(await wholeJson(files, part.file)))
    const models = new Set(found.flatMap(({ kind, model }) => (kind === 'schema' ? [] : [model])))
    for (const model of models) await into.model({ uid: model, fields: schemas.get(model)?.hints ?? [] })
    const endpoints = await readIds(files, found, into)
    const reading = new Reading(into, endpoints, schemas, await repeatedTypes(files, found))
    for (const part of found) {
      for await (const content of contentsOf(files, part, into)) await reading.add(part.model, content)
      into.expect(part.model, part.model, totalOf(part.shape))
    }
  },
})

const isContent = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && 'createdAt' in value && 'updatedAt' in value && 'revisedAt' in value

/** Returns whether the value is an expanded content of another endpoint. Drafts have no `revisedAt`. */
const isExpanded = (value: Record<string, unknown>): value is Record<string, unknown> & { id: string } =>
  typeof value.id === 'string' && 'createdAt' in value && 'updatedAt' in value

/** Returns whether the value is a status of microCMS. Users can define a field with the same key. */
const isOwnStatus = (status: unknown) =>
  Array.isArray(status) &&
  status.length > 0 &&
  status.every((word) => /^(?:PUBLISH|DRAFT|CLOSED|PUBLISH_AND_DRAFT)$/.test(textOf(word)))

function kindOf({ shape }: JsonFile): Kind | undefined {
  if (shape.type !== 'object') return isContent(shape.first) ? 'list' : undefined
  const { keys } = shape
  if (keys.has('apiFields')) return 'schema'
  const contents = keys.get('contents')
  if (contents?.isList && keys.has('totalCount') && keys.has('limit')) return 'contents'
  return keys.has('revisedAt') && keys.has('createdAt') && keys.has('updatedAt') ? 'object' : undefined
}

/** Schema files are named like `api-blog-20240101.json`. */
const modelOf = (path: string) => stemOfPages(stemOf(path).replace(/^api-/, ''))

async function* contentsOf(
  files: SourceFiles,
  part: Part,
  into: Pick<Collector, 'lost'>,
): AsyncGenerator<Record<string, unknown>> {
  if (part.kind === 'object') {
    const whole = await wholeJson(files, part.file)
    if (isRecord(whole)) yield whole
  } else if (part.kind !== 'schema')
    yield* objectsIn(files, part, into, part.kind === 'contents' ? 'contents' : null)
}

/** Ids are unique only per endpoint, so the creation time is added. */
const keyOf = (content: Record<string, unknown>) => `${textOf(content.id)} ${textOf(content.createdAt)}`

async function readIds(files: SourceFiles, found: readonly Part[], into: Collector) {
  const endpoints = new Map<string, string>()
  for (const part of found)
    for await (const content of contentsOf(files, part, { lost: () => {} }))
      endpoints.set(keyOf(content), part.model)
  for (const model of into.models.keys()) endpoints.set(` ${model}`, model)
  return endpoints
}

/** Returns the types of custom fields in lists, by the key of the list. */
async function repeatedTypes(
  files: SourceFiles,
  found: readonly Part[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const types = new Map<string, Set<string>>()
  const look = (key: string, value: unknown): void => {
    if (!Array.isArray(value)) return
    for (const item of value.filter(isRecord)) {
      if (typeof item.fieldId !== 'string') continue
      const known = types.get(key) ?? new Set()
      types.set(key, known.add(item.fieldId))
      for (const [inner, innerValue] of Object.entries(item)) look(inner, innerValue)
    }
  }
  for (const part of found)
    for await (const content of contentsOf(files, part, { lost: () => {} }))
      for (const [key, value] of Object.entries(content)) look(key, value)
  return types
}

class Reading {
  readonly #repeated: ReadonlyMap<string, ReadonlySet<string>>
  readonly #into: Collector
  readonly #endpoints: Map<string, string>
  readonly #schemas: ReadonlyMap<string, Schema>

  constructor(
    into: Collector,
    endpoints: Map<string, string>,
    schemas: ReadonlyMap<string, Schema>,
    repeated: ReadonlyMap<string, ReadonlySet<string>>,
  ) {
    this.#repeated = repeated
    this.#into = into
    this.#endpoints = endpoints
    this.#schemas = schemas
  }

  async add(model: string, content: Record<string, unknown>): Promise<void> {
    const { id, createdAt, updatedAt, publishedAt, revisedAt, ...others } = content
    // The management API adds these keys to the contents.
    const { status, draftKey, closedAt, reservationTime, customStatus, createdBy, updatedBy, ...contents } =
      others
    const isManaged = isOwnStatus(status) || (Array.isArray(status) && 'draftKey' in content)
    const values = isManaged ? contents : others
    const copies: [string, Record<string, unknown>][] = []
    const schema = this.#schemas.get(model)
    const own = Object.entries(values).map(([key, value]) => [key, this.#value(key, value, copies)] as const)
    // Responses omit fields that have no value.
    const empty = (schema?.hints ?? []).flatMap(({ key }) => (key in values ? [] : [[key, null] as const]))
    // `revisedAt` changes only with the content, `updatedAt` with every save.
    const updated = momentOf(revisedAt) ?? momentOf(updatedAt)
    const published = momentOf(publishedAt)
    const record: SourceRecord = {
      id: textOf(id) || model,
      createdAt: momentOf(createdAt),
      changedAt: updated,
      firstPublishedAt: published,
      publication: this.#into.publicationOf(
        { kind: 'publishedAt', key: 'publishedAt', value: publishedAt },
        { kind: 'expiresAt', key: 'closedAt', value: closedAt },
        ...(isManaged ? [{ kind: 'status' as const, key: 'status', value: status }] : []),
        ...(isRecord(reservationTime)
          ? [
              { kind: 'publishAt' as const, key: 'publishTime', value: reservationTime.publishTime },
              { kind: 'expiresAt' as const, key: 'stopTime', value: reservationTime.stopTime },
            ]
          : []),
      ),
      values: objectOf([...own, ...empty, ...(textOf(id) ? [['sourceId', textOf(id)] as const] : [])]),
    }
    await this.#into.add(model, record)
    // Contents that no file contains are taken from the copies in contents that refer to them.
    for (const [uid, copy] of copies) await this.add(uid, copy)
  }

  #value(key: string, value: unknown, copies: [string, Record<string, unknown>][]): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#item(key, item, copies))
    if (typeof value === 'string') {
      this.#into.embedded(value)
      return value
    }
    if (!isRecord(value)) return value
    return fileOf(this.#into, value) ?? this.#reference(key, value, copies) ?? this.#parts(value, copies)
  }

  /** Converts an item of a list. If the list has several types, the item is stored with its type. */
  #item(key: string, item: unknown, copies: [string, Record<string, unknown>][]): unknown {
    const value = this.#value(key, item, copies)
    const type = isRecord(item) ? item.fieldId : undefined
    if (typeof type !== 'string' || (this.#repeated.get(key)?.size ?? 0) < 2) return value
    return { _id: madeId('item', key, JSON.stringify(value)), type, data: value }
  }

  #parts(
    value: Record<string, unknown>,
    copies: [string, Record<string, unknown>][],
  ): Record<string, unknown> {
    const { fieldId, ...parts } = value
    return objectOf(Object.entries(parts).map(([name, part]) => [name, this.#value(name, part, copies)]))
  }

  #reference(key: string, value: Record<string, unknown>, copies: [string, Record<string, unknown>][]) {
    if (!isExpanded(value)) return undefined
    const known = this.#endpoints.get(keyOf(value))
    const model = known ?? `${key}${this.#endpoints.has(` ${key}`) ? '-2' : ''}`
    if (known === undefined) {
      this.#endpoints.set(keyOf(value), model)
      copies.push([model, value])
    }
    return this.#into.idOf(model, value.id)
  }
}

function fileOf(into: Collector, value: Record<string, unknown>): Record<string, unknown> | undefined {
  const { url, width, height, alt, fileSize } = value
  const isFile =
    typeof url === 'string' && (fileSize !== undefined || (width !== undefined && height !== undefined))
  if (!isFile || !fileAddress(url)) return undefined
  return into.remote(url, { width, height, altText: textOf(alt) })
}

interface Schema {
  hints: FieldHint[]
}

const types: Record<string, Pick<FieldHint, 'kinds'>> = {
  text: { kinds: ['line'] },
  textArea: { kinds: ['lines'] },
  richEditor: { kinds: ['html'] },
  richEditorV2: { kinds: ['html'] },
  media: { kinds: ['image'] },
  mediaList: { kinds: ['image'] },
  date: { kinds: ['moment'] },
  boolean: { kinds: ['boolean'] },
  select: { kinds: ['choice'] },
  number: { kinds: ['number'] },
  relation: { kinds: ['reference'] },
  relationList: { kinds: ['reference'] },
  file: { kinds: ['file'] },
}

function readSchema(schema: unknown): Schema {
  const fields = isRecord(schema) && Array.isArray(schema.apiFields) ? schema.apiFields : []
  const hints = fields.filter(isRecord).map((field): FieldHint => {
    const { fieldId, name, kind, required, isUnique } = field
    return {
      key: textOf(fieldId),
      ...(textOf(name) ? { name: textOf(name) } : {}),
      ...types[textOf(kind)],
      required: required === true,
      unique: isUnique === true,
    }
  })
  return { hints: hints.filter(({ key }) => key !== '') }
}
