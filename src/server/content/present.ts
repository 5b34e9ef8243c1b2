import { Pace } from '#server/lib/pace.ts'
import type { AssetHost } from '#shared/asset-address.ts'
import { type Field, isMultiple, typeOf } from '#shared/fields/index.ts'
import { targetUid } from '#shared/fields/references.ts'
import { presentAssets } from './assets.ts'
import { serverTypeOf } from './fields/index.ts'
import { type ContentModel, comparisonOf, targetOf } from './model.ts'
import { type InnerPart, presentNested, type Reference } from './present-nested.ts'
import { badQuery } from './query/bad-query.ts'
import type { Stage } from './query/sql.ts'
import type { ParsedQuery, Selection, Step } from './query/tree.ts'
import { AnswerTooLarge, type DocumentRow, type Handle, type Referred, referredRows, toRows } from './read.ts'

/** No answer resolves more contents than this through references. */
export const maximumReferred = 2000
/** Answers of this many bytes or more are refused (7 MB). */
export const maximumAnswer = 7 * 1024 * 1024

export interface PresentOptions {
  model: ContentModel
  stage: Stage
  query: Pick<ParsedQuery, 'select' | 'textPaths' | 'depth'>
  /** Where sites read assets. */
  host: AssetHost
}

export interface Presented {
  /** Each row as JSON text of the delivery API; bytes when the handle gives bytes. */
  texts: string[]
  /** The contents that references brought in: `_id`s by model. */
  referred: Map<ContentModel, string[]>
  /** Models of contents that references asked for in vain: one that appears there would change the answer. */
  missing: ContentModel[]
  /** `_id`s of the assets that are shown, or were asked for in vain. */
  assets: string[]
}

/**
 * Rows as the delivery API answers them (delivery-api.md §3), references expanded with one statement per level, assets
 * shown with one for all.
 * `referred` are all contents that the rows themselves refer to, when they are at hand already.
 * Throws AnswerTooLarge, and a 400 when more than 2,000 contents would have to be resolved.
 */
export async function presentDocuments(
  handle: Handle,
  rows: DocumentRow[],
  { model, stage, query, host }: PresentOptions,
  referred?: Referred,
): Promise<Presented> {
  const codec = handle.bytes ? bytes : plainText
  const plan = planOf(model, query, codec)
  const writer = new Writer(stage, codec, host)
  if (referred) writer.take(plan, rows, referred)
  const pace = new Pace()
  await writer.load(handle, plan, rows, pace)
  const texts: string[] = []
  let size = 0
  for (const row of rows) {
    const text = writer.document(plan, row)
    size += text.length
    if (size >= maximumAnswer) throw new AnswerTooLarge()
    texts.push(text)
    await pace.giveWay()
  }
  return { texts, ...writer.sources() }
}

/** The reference fields that {@link presentDocuments} expands in the documents themselves. */
export function expandedFields(
  handle: Handle,
  { model, query }: Pick<PresentOptions, 'model' | 'query'>,
): Step[] {
  const plan = planOf(model, query, handle.bytes ? bytes : plainText)
  return plan.references.map(({ field, plan: { model: target } }) => ({ field, target }))
}

/** One row as an object, as {@link presentDocuments} writes it. */
export async function presentDocument(
  handle: Handle,
  row: DocumentRow,
  options: PresentOptions,
): Promise<Record<string, unknown> & { _id: string }> {
  const { texts } = await presentDocuments(handle, [row], options)
  const text = texts[0] ?? 'null'
  return JSON.parse(handle.bytes ? bytes.decode(text) : text)
}

/** What is written of the contents of one model at one place of the answer. */
interface Plan {
  model: ContentModel
  /** undefined: all of `_sys`. */
  sys: Set<string> | undefined
  parts: Part[]
  references: ReferencePart[]
  assets: Part[]
  converted: ConvertedPart[]
  nested: NestedPart[]
}

interface Part extends InnerPart<Plan> {
  field: Field
  /** `,"uid":` */
  key: string
}
type ReferencePart = Part & { plan: Plan }
type ConvertedPart = Part & Required<Pick<Part, 'convert'>>
type NestedPart = Part & Required<Pick<Part, 'inner'>>

/** A value with inner values as it is written, but for the references in it, which are resolved last. */
type NestedValue = (string | Reference<Plan>)[]

/** How the texts of a handle become JavaScript's, where they are worked on, and back. */
interface Codec {
  plans: WeakMap<ContentModel, Plan[]>
  decode(text: string): string
  encode(text: string): string
}
const plainText: Codec = { plans: new WeakMap(), decode: (text) => text, encode: (text) => text }
const bytes: Codec = {
  plans: new WeakMap(),
  decode: (text) => Buffer.from(text, 'latin1').toString(),
  encode: (text) => Buffer.from(text).toString('latin1'),
}

function planOf(
  model: ContentModel,
  { select, textPaths, depth }: PresentOptions['query'],
  codec: Codec,
): Plan {
  if (select || textPaths.size > 0) return makePlan(model, depth, select, textPaths, '', codec)
  const known = codec.plans.get(model) ?? []
  codec.plans.set(model, known)
  known[depth] ??= makePlan(model, depth, null, textPaths, '', codec)
  return known[depth]
}

function makePlan(
  model: ContentModel,
  depth: number,
  select: Selection | null,
  textPaths: Set<string>,
  prefix: string,
  codec: Codec,
): Plan {
  const partOf = (field: Field, path: string, selected: Selection | true | undefined): Part => {
    const key = `,${JSON.stringify(field.uid)}:`
    const write = valueWriter(field)
    if (typeOf(field).nesting) {
      const inner = new Map<string, Part>()
      const within = selected instanceof Object ? selected.fields : null
      return {
        field,
        key,
        write,
        inner(place) {
          const wanted = within ? within.get(place.name) : true
          if (!wanted) return undefined
          const part = inner.get(place.field._id) ?? partOf(place.field, `${path}.${place.name}`, wanted)
          inner.set(place.field._id, part)
          return part
        },
      }
    }
    const target = targetOf(model, field)
    const convert = converterOf(field, textPaths.has(path), codec)
    if (convert) return { field, key, write, convert }
    if (depth <= 0) return { field, key, write }
    if (typeOf(field).asset) return { field, key, write, isAsset: true }
    if (targetUid(field) === undefined) return { field, key, write }
    if (!target) return { field, key, write: () => (isMultiple(field) ? '[]' : 'null') }
    const plan = isPlain(selected, textPaths, path)
      ? planOf(target, { select: null, textPaths: noPaths, depth: depth - 1 }, codec)
      : makePlan(
          target,
          depth - 1,
          selected instanceof Object ? selected : null,
          textPaths,
          `${path}.`,
          codec,
        )
    return { field, key, write, plan }
  }
  const parts = model.fields
    .filter((field) => !select || select.fields.has(field.uid))
    .map((field) => partOf(field, prefix + field.uid, select?.fields.get(field.uid)))
  return {
    model,
    sys: select?.sys,
    parts,
    references: parts.filter((part): part is ReferencePart => part.plan !== undefined),
    assets: parts.filter((part) => part.isAsset),
    converted: parts.filter((part): part is ConvertedPart => part.convert !== undefined),
    nested: parts.filter((part): part is NestedPart => part.inner !== undefined),
  }
}

const noPaths: Set<string> = new Set()

/** Is everything below this path wanted, in its usual form? */
function isPlain(nested: Selection | true | undefined, textPaths: Set<string>, path: string): boolean {
  if (nested !== undefined && nested !== true) return false
  for (const textPath of textPaths) if (textPath.startsWith(`${path}.`)) return false
  return true
}

/** Writes a field's JSON from that of its stored value. */
function valueWriter(field: Field): (json: string | undefined) => string {
  const one = (json: string) => (isOfType(field, json) ? json : '')
  if (isMultiple(field))
    return (json) => {
      if (json === undefined) return '[]'
      if (json.startsWith('[') && isOfType(field, json, 1)) return json
      return `[${items(json).map(one).filter(Boolean).join(',')}]`
    }
  const empty = emptyText(field)
  return (json) => (json === undefined ? empty : one(first(json)) || empty)
}

/** The items of a stored value, also when the field held only one before. */
function items(json: string): string[] {
  if (!json.startsWith('[')) return [json]
  return (JSON.parse(json) as unknown[]).map((item) => JSON.stringify(item))
}

/** The value of a field that held several before is the first of them. */
function first(json: string): string {
  return json.startsWith('[') ? (items(json)[0] ?? '') : json
}

/** Is this value (of an array: its first one) of the field's type, and not left from one it had before? */
function isOfType(field: Field, json: string, at = 0): boolean {
  const start = json.charAt(at)
  switch (comparisonOf(field)) {
    case 'number':
      return start === '-' || (start >= '0' && start <= '9')
    case 'boolean':
      return start === 't' || start === 'f'
    default:
      return start === '"'
  }
}

function emptyText(field: Field): string {
  switch (comparisonOf(field)) {
    case 'text':
      return '""'
    case 'boolean':
      return 'false'
    default:
      return 'null'
  }
}

/** What a stored text has to go through, if anything: JSON in, JSON out. */
function converterOf(field: Field, asText: boolean, codec: Codec): Part['convert'] {
  const convert = serverTypeOf(field).present?.[asText ? 'text' : 'html']
  if (!convert) return undefined
  const write = (text: string) => JSON.stringify(codec.encode(text))
  return (json) => {
    const item = first(json)
    if (!isOfType(field, item)) return emptyText(field)
    const text = convert(codec.decode(JSON.parse(item)))
    return typeof text === 'string' ? write(text) : text.then(write)
  }
}

class Writer {
  private readonly stage: Stage
  private readonly codec: Codec
  private readonly host: AssetHost
  /** Contents by model and `_id`, those of the list itself and those referred to; null: there is none to show. */
  private readonly rows = new Map<ContentModel, Map<string, DocumentRow | null>>()
  private readonly written = new Map<Plan, Map<string, string>>()
  private readonly converted = new Map<DocumentRow, Map<Part, string>>()
  private readonly nested = new Map<DocumentRow, Map<Part, NestedValue>>()
  private convertedSize = 0
  private readonly loaded = new Map<ContentModel, string[]>()
  private loadedCount = 0
  /** `_id`s of assets that are to be shown, and how those are written that exist. */
  private readonly assetIds = new Set<string>()
  private assets = new Map<string, string>()

  constructor(stage: Stage, codec: Codec, host: AssetHost) {
    this.stage = stage
    this.codec = codec
    this.host = host
  }

  sources(): Omit<Presented, 'texts'> {
    const missing = [...this.rows].filter(([, rows]) => [...rows.values()].includes(null))
    return { referred: this.loaded, missing: missing.map(([model]) => model), assets: [...this.assetIds] }
  }

  /** Takes the contents that `rows` refer to out of `referred`; what is not among them does not exist in this stage. */
  take(plan: Plan, rows: DocumentRow[], referred: Referred): void {
    const wanted = new Map<Plan, Set<string>>()
    collectReferences(plan, rows, wanted)
    for (const [{ model }, ids] of wanted) {
      this.count(ids.size)
      for (const id of ids) this.known(model).set(id, null)
    }
    for (const [model, documents] of referred)
      for (const document of documents) if (this.known(model).has(document.id)) this.add(model, document)
  }

  /** Loads everything the plan expands to, level by level, and converts what must not be answered as it is stored. */
  async load(handle: Handle, plan: Plan, rows: DocumentRow[], pace: Pace): Promise<void> {
    await this.convert(plan, rows, pace)
    this.collectAssets(plan, rows)
    if (!isFlat(plan)) await this.loadReferred(handle, plan, rows, pace)
    this.assets = await presentAssets(handle, plan.model.app.space, [...this.assetIds], {
      ...this.codec,
      host: this.host,
      pace,
    })
  }

  private async loadReferred(handle: Handle, plan: Plan, rows: DocumentRow[], pace: Pace): Promise<void> {
    const own = this.known(plan.model)
    for (const row of rows) own.set(row.id, row) // after take(): a document may refer to itself
    const seen = new Map<Plan, Set<string>>()
    let level = new Map<Plan, DocumentRow[]>([[plan, rows]])
    while (level.size > 0) {
      const wanted = new Map<Plan, Set<string>>()
      for (const [at, contents] of level) this.collect(at, contents, wanted)
      await this.fetch(handle, wanted)
      level = new Map()
      for (const [next, ids] of wanted) {
        const visited = seen.get(next) ?? new Set()
        seen.set(next, visited)
        const found: DocumentRow[] = []
        for (const id of ids) {
          const row = this.known(next.model).get(id)
          if (row && !visited.has(id)) found.push(row)
          visited.add(id)
        }
        await this.convert(next, found, pace)
        this.collectAssets(next, found)
        if (found.length > 0 && !isFlat(next)) level.set(next, found)
      }
    }
  }

  private async convert({ converted, nested }: Plan, rows: DocumentRow[], pace: Pace): Promise<void> {
    if (converted.length === 0 && nested.length === 0) return
    for (const row of rows) {
      const texts = this.converted.get(row) ?? new Map<Part, string>()
      this.converted.set(row, texts)
      for (const part of converted) {
        const json = row.fragments.get(part.field._id)
        if (json === undefined) continue
        const converting = part.convert(json)
        const text = typeof converting === 'string' ? converting : await converting
        texts.set(part, text)
        this.countConverted(text.length)
        await pace.giveWay()
      }
      if (nested.length === 0) continue
      const values = this.nested.get(row) ?? new Map<Part, NestedValue>()
      this.nested.set(row, values)
      for (const part of nested) {
        const json = row.fragments.get(part.field._id)
        const value = await presentNested(part, json, this.codec.encode, pace)
        values.set(part, value)
        for (const piece of value) if (typeof piece === 'string') this.countConverted(piece.length)
        await pace.giveWay()
      }
    }
  }

  private countConverted(size: number): void {
    this.convertedSize += size
    if (this.convertedSize >= maximumAnswer) throw new AnswerTooLarge()
  }

  /** The `_id`s that contents at one place refer to, by the plan they expand with. */
  private collect(plan: Plan, rows: DocumentRow[], wanted: Map<Plan, Set<string>>): void {
    collectReferences(plan, rows, wanted)
    for (const part of plan.nested)
      for (const row of rows)
        for (const piece of this.nested.get(row)?.get(part) ?? []) {
          if (typeof piece === 'string' || !piece.plan) continue
          const ids = wanted.get(piece.plan) ?? new Set()
          for (const id of idsIn(piece.field, piece.json)) ids.add(id)
          if (ids.size > 0) wanted.set(piece.plan, ids)
        }
  }

  private collectAssets(plan: Plan, rows: DocumentRow[]): void {
    const collect = (field: Field, json: string | undefined) => {
      for (const id of idsIn(field, json)) this.assetIds.add(id)
    }
    for (const row of rows) {
      for (const { field } of plan.assets) collect(field, row.fragments.get(field._id))
      for (const part of plan.nested)
        for (const piece of this.nested.get(row)?.get(part) ?? [])
          if (typeof piece !== 'string' && !piece.plan) collect(piece.field, piece.json)
    }
  }

  private async fetch(handle: Handle, wantedBy: Map<Plan, Set<string>>): Promise<void> {
    const missing = new Map<ContentModel, Set<string>>()
    for (const [{ model }, ids] of wantedBy)
      for (const id of ids) {
        if (this.known(model).has(id)) continue
        const set = missing.get(model) ?? new Set()
        missing.set(model, set.add(id))
      }
    if (missing.size === 0) return
    for (const [model, ids] of missing) {
      this.count(ids.size)
      for (const id of ids) this.known(model).set(id, null)
    }
    const wanted = [...missing].map(([model, ids]) => ({ model, ids: [...ids] }))
    const found = await referredRows(handle, this.stage, wanted)
    for (const [model, ids] of missing) {
      const own = found.filter((row) => Number(row.model) === model.id && ids.delete(String(row.id)))
      for (const document of await toRows(handle, model, own)) this.add(model, document)
    }
  }

  private add(model: ContentModel, document: DocumentRow): void {
    this.known(model).set(document.id, document)
    const ids = this.loaded.get(model)
    if (ids) ids.push(document.id)
    else this.loaded.set(model, [document.id])
  }

  private count(more: number): void {
    this.loadedCount += more
    if (this.loadedCount > maximumReferred)
      throw badQuery('depth', `more than ${maximumReferred} contents would have to be resolved`)
  }

  private known(model: ContentModel): Map<string, DocumentRow | null> {
    let rows = this.rows.get(model)
    if (!rows) {
      rows = new Map()
      this.rows.set(model, rows)
    }
    return rows
  }

  document(plan: Plan, row: DocumentRow): string {
    let written = this.written.get(plan)
    if (!written) {
      written = new Map()
      this.written.set(plan, written)
    }
    const known = written.get(row.id)
    if (known !== undefined) return known
    const { fragments } = row
    let text = `{"_id":"${row.id}"${this.system(plan.sys, row)}`
    for (const part of plan.parts) {
      const json = fragments.get(part.field._id)
      text += part.key
      if (part.plan || part.isAsset) text += this.reference(part, json)
      else if (part.inner) text += this.nestedValue(this.nested.get(row)?.get(part) ?? [])
      else text += (part.convert && this.converted.get(row)?.get(part)) ?? part.write(json)
      if (text.length >= maximumAnswer) throw new AnswerTooLarge()
    }
    text += '}'
    written.set(row.id, text)
    return text
  }

  private nestedValue(pieces: NestedValue): string {
    let text = ''
    for (const piece of pieces) {
      text += typeof piece === 'string' ? piece : this.reference(piece, piece.json)
      if (text.length >= maximumAnswer) throw new AnswerTooLarge()
    }
    return text
  }

  /** What the `_id`s in a value stand for: contents, or without a plan assets. */
  private reference(
    { field, plan }: Pick<Reference<Plan>, 'field'> & { plan?: Plan | undefined },
    json: string | undefined,
  ): string {
    const rows = plan && this.rows.get(plan.model)
    const textOf = (id: string): string | undefined => {
      if (!plan) return this.assets.get(id)
      const row = rows?.get(id)
      return row ? this.document(plan, row) : undefined
    }
    const ids = idsIn(field, json)
    if (!isMultiple(field)) return textOf(ids[0] ?? '') ?? 'null'
    const texts: string[] = []
    let size = 0
    for (const id of ids) {
      const text = textOf(id)
      if (text === undefined) continue
      size += text.length
      if (size >= maximumAnswer) throw new AnswerTooLarge()
      texts.push(text)
    }
    return `[${texts.join(',')}]`
  }

  /** `,"_sys":{…}`: all of it, or the selected names in their usual order. */
  private system(selected: Set<string> | undefined, row: DocumentRow): string {
    const { createdAt, updatedAt, firstPublishedAt, publishedAt, customOrder } = row
    const published = this.stage === 'published'
    const created = published ? (firstPublishedAt ?? createdAt) : createdAt
    const updated = published ? (publishedAt ?? updatedAt) : updatedAt
    if (!selected || selected.has('')) {
      return (
        `,"_sys":{"raw":{"createdAt":"${createdAt}","updatedAt":"${updatedAt}"` +
        `,"firstPublishedAt":${quoted(firstPublishedAt)},"publishedAt":${quoted(publishedAt)}}` +
        `${customOrder === null ? '' : `,"customOrder":${customOrder}`}` +
        `,"createdAt":"${created}","updatedAt":"${updated}"}`
      )
    }
    if (selected.size === 0) return ''
    const raw = { createdAt, updatedAt, firstPublishedAt, publishedAt }
    const rawNames = Object.keys(raw) as (keyof typeof raw)[]
    const wantedRaw = rawNames.filter((name) => selected.has('raw') || selected.has(`raw.${name}`))
    return `,"_sys":${JSON.stringify({
      ...(wantedRaw.length > 0
        ? { raw: Object.fromEntries(wantedRaw.map((name) => [name, raw[name]])) }
        : {}),
      ...(selected.has('customOrder') && customOrder !== null ? { customOrder } : {}),
      ...(selected.has('createdAt') ? { createdAt: created } : {}),
      ...(selected.has('updatedAt') ? { updatedAt: updated } : {}),
    })}`
  }
}

/** Do contents of this plan bring no others along? */
const isFlat = ({ references, nested }: Plan) => references.length === 0 && nested.length === 0

/** The `_id`s in reference fields of the contents themselves, by the plan they expand with. */
function collectReferences(plan: Plan, rows: DocumentRow[], wanted: Map<Plan, Set<string>>): void {
  for (const part of plan.references) {
    const ids = wanted.get(part.plan) ?? new Set()
    for (const row of rows) for (const id of idsIn(part.field, row.fragments.get(part.field._id))) ids.add(id)
    if (ids.size > 0) wanted.set(part.plan, ids)
  }
}

/** The `_id`s in the JSON of a field of references or assets, in order; one at most of a single field. */
function idsIn(field: Field, json: string | undefined): string[] {
  if (json === undefined) return []
  if (json.length === 26) return [json.slice(1, 25)]
  const ids = json.match(/[0-9a-f]{24}/g) ?? []
  return isMultiple(field) ? ids : ids.slice(0, 1)
}

const quoted = (time: string | null) => (time === null ? 'null' : `"${time}"`)
