import { setImmediate } from 'node:timers/promises'
import { htmlToText } from '#shared/fields/html-text.ts'
import { type Field, isMultiple } from '#shared/fields/index.ts'
import { renderMarkdown } from './html.ts'
import { type ContentModel, comparisonOf, targetOf } from './model.ts'
import { badQuery } from './query/bad-query.ts'
import { referredStatement, type Stage } from './query/sql.ts'
import type { ParsedQuery, Selection } from './query/tree.ts'
import { type DocumentRow, type Handle, toRow } from './read.ts'

/** No answer resolves more contents than this through references. */
export const maximumReferred = 2000
/** Answers of this many bytes or more are refused (7 MB). */
export const maximumAnswer = 7 * 1024 * 1024
/** Rendering a long list gives way to other requests after this many milliseconds. */
const slice = 20

export interface PresentOptions {
  model: ContentModel
  stage: Stage
  query: Pick<ParsedQuery, 'select' | 'textPaths' | 'depth'>
}

export interface Presented {
  /** Each row as JSON text of the delivery API. */
  texts: string[]
  /** The contents that references brought in: `_id`s by model. */
  referred: Map<ContentModel, string[]>
  /** Models of contents that references asked for in vain: one that appears there would change the answer. */
  missing: ContentModel[]
}

/** An answer that would be {@link maximumAnswer} bytes or more. */
export class AnswerTooLarge extends Error {}

/**
 * Rows as the delivery API answers them (delivery-api.md §3), references expanded with one statement per level.
 * Throws AnswerTooLarge, and a 400 when more than 2,000 contents would have to be resolved.
 */
export async function presentDocuments(
  handle: Handle,
  rows: DocumentRow[],
  { model, stage, query }: PresentOptions,
): Promise<Presented> {
  const plan = planOf(model, query)
  const writer = new Writer(stage)
  await writer.load(handle, plan, rows)
  const texts: string[] = []
  let size = 0
  let started = performance.now()
  for (const row of rows) {
    const text = writer.document(plan, row)
    size += text.length
    if (size >= maximumAnswer) throw new AnswerTooLarge()
    texts.push(text)
    if (performance.now() - started > slice) {
      await setImmediate()
      started = performance.now()
    }
  }
  return { texts, ...writer.sources() }
}

/** One row as an object, as {@link presentDocuments} writes it. */
export async function presentDocument(
  handle: Handle,
  row: DocumentRow,
  options: PresentOptions,
): Promise<Record<string, unknown> & { _id: string }> {
  const { texts } = await presentDocuments(handle, [row], options)
  return JSON.parse(texts[0] ?? 'null')
}

/** What is written of the contents of one model at one place of the answer. */
interface Plan {
  model: ContentModel
  /** undefined: all of `_sys`. */
  sys: Set<string> | undefined
  parts: Part[]
  references: ReferencePart[]
}

interface Part {
  field: Field
  /** `,"uid":` */
  key: string
  /** JSON text of a stored value, which may be undefined; references that expand have a plan instead. */
  write(value: unknown): string
  plan?: Plan
}
type ReferencePart = Part & { plan: Plan }

const plans = new WeakMap<ContentModel, Plan[]>()

function planOf(model: ContentModel, { select, textPaths, depth }: PresentOptions['query']): Plan {
  if (select || textPaths.size > 0) return makePlan(model, depth, select, textPaths, '')
  const known = plans.get(model) ?? []
  plans.set(model, known)
  known[depth] ??= makePlan(model, depth, null, textPaths, '')
  return known[depth]
}

function makePlan(
  model: ContentModel,
  depth: number,
  select: Selection | null,
  textPaths: Set<string>,
  prefix: string,
): Plan {
  const parts = model.fields
    .filter((field) => !select || select.fields.has(field.uid))
    .map((field): Part => {
      const key = `,${JSON.stringify(field.uid)}:`
      const path = prefix + field.uid
      const target = targetOf(model, field)
      const write = valueWriter(field, textPaths.has(path))
      if (field.type !== 'REFERENCE' || depth <= 0) return { field, key, write }
      if (!target) return { field, key, write: () => (isMultiple(field) ? '[]' : 'null') }
      const nested = select?.fields.get(field.uid)
      const plan = isPlain(nested, textPaths, path)
        ? planOf(target, { select: null, textPaths: noPaths, depth: depth - 1 })
        : makePlan(target, depth - 1, nested instanceof Object ? nested : null, textPaths, `${path}.`)
      return { field, key, write, plan }
    })
  return {
    model,
    sys: select?.sys,
    parts,
    references: parts.filter((part): part is ReferencePart => part.plan !== undefined),
  }
}

const noPaths: Set<string> = new Set()

/** Is everything below this path wanted, in its usual form? */
function isPlain(nested: Selection | true | undefined, textPaths: Set<string>, path: string): boolean {
  if (nested !== undefined && nested !== true) return false
  for (const textPath of textPaths) if (textPath.startsWith(`${path}.`)) return false
  return true
}

function valueWriter(field: Field, asText: boolean): (value: unknown) => string {
  const one = singleWriter(field, asText)
  if (isMultiple(field))
    return (value) => {
      if (value === undefined) return '[]'
      const items = Array.isArray(value) ? value : [value]
      return `[${items
        .map(one)
        .filter((text) => text !== '')
        .join(',')}]`
    }
  const empty = emptyText(field)
  return (value) => one(Array.isArray(value) ? value[0] : value) || empty
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

/** Writes one item; `''` for nothing, and for what is left of a type that the field had before. */
function singleWriter(field: Field, asText: boolean): (value: unknown) => string {
  const text = (convert: (value: string) => string) => (value: unknown) =>
    typeof value === 'string' ? JSON.stringify(convert(value)) : ''
  switch (field.type) {
    case 'RICH_TEXT':
      return asText ? text(htmlToText) : text((html) => html)
    case 'MARKDOWN':
      return asText ? text((source) => source) : text(renderMarkdown)
    default: {
      const comparison = comparisonOf(field)
      const type = comparison === 'number' || comparison === 'boolean' ? comparison : 'string'
      return (value) => (typeof value === type ? JSON.stringify(value) : '')
    }
  }
}

class Writer {
  private readonly stage: Stage
  /** Contents by model and `_id`, those of the list itself and those referred to; null: there is none to show. */
  private readonly rows = new Map<ContentModel, Map<string, DocumentRow | null>>()
  private readonly written = new Map<Plan, Map<string, string>>()
  private readonly loaded = new Map<ContentModel, string[]>()
  private loadedCount = 0

  constructor(stage: Stage) {
    this.stage = stage
  }

  sources(): Pick<Presented, 'referred' | 'missing'> {
    const missing = [...this.rows].filter(([, rows]) => [...rows.values()].includes(null))
    return { referred: this.loaded, missing: missing.map(([model]) => model) }
  }

  /** Loads everything the plan expands to, level by level. */
  async load(handle: Handle, plan: Plan, rows: DocumentRow[]): Promise<void> {
    if (plan.references.length === 0) return
    const own = this.known(plan.model)
    for (const row of rows) own.set(row.id, row)
    const seen = new Map<Plan, Set<string>>()
    let level = new Map<Plan, DocumentRow[]>([[plan, rows]])
    while (level.size > 0) {
      const wanted = new Map<Plan, Set<string>>()
      for (const [at, contents] of level) collect(at, contents, wanted)
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
        if (found.length > 0 && next.references.length > 0) level.set(next, found)
      }
    }
  }

  private async fetch(handle: Handle, wanted: Map<Plan, Set<string>>): Promise<void> {
    const missing = new Map<ContentModel, Set<string>>()
    for (const [{ model }, ids] of wanted)
      for (const id of ids) {
        if (this.known(model).has(id)) continue
        const set = missing.get(model) ?? new Set()
        missing.set(model, set.add(id))
      }
    if (missing.size === 0) return
    for (const [model, ids] of missing) {
      this.loadedCount += ids.size
      if (this.loadedCount > maximumReferred)
        throw badQuery('depth', `more than ${maximumReferred} contents would have to be resolved`)
      for (const id of ids) this.known(model).set(id, null)
    }
    const models = new Map([...missing.keys()].map((model) => [model.id, model]))
    const statement = referredStatement(
      this.stage,
      [...missing].map(([model, ids]) => ({ model, ids: [...ids] })),
    )
    for (const row of (await handle.query(statement.text, statement.values)).rows) {
      const model = models.get(Number(row.model))
      if (!model) continue
      const document = toRow(row)
      this.known(model).set(document.id, document)
      const ids = this.loaded.get(model)
      if (ids) ids.push(document.id)
      else this.loaded.set(model, [document.id])
    }
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
    let text = `{"_id":"${row.id}"${this.system(plan.sys, row)}`
    for (const part of plan.parts) {
      const value = row.values[part.field._id]
      text += part.key
      text += part.plan ? this.reference(part.field, part.plan, value) : part.write(value)
      if (text.length >= maximumAnswer) throw new AnswerTooLarge()
    }
    text += '}'
    written.set(row.id, text)
    return text
  }

  private reference(field: Field, plan: Plan, value: unknown): string {
    const rows = this.rows.get(plan.model)
    if (!isMultiple(field)) {
      const row = rows?.get(String(Array.isArray(value) ? value[0] : value))
      return row ? this.document(plan, row) : 'null'
    }
    const texts: string[] = []
    let size = 0
    for (const id of Array.isArray(value) ? value : value === undefined ? [] : [value]) {
      const row = rows?.get(String(id))
      if (!row) continue
      const text = this.document(plan, row)
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

/** The `_id`s that contents at one place refer to, by the plan they expand with. */
function collect(plan: Plan, rows: DocumentRow[], wanted: Map<Plan, Set<string>>): void {
  for (const part of plan.references) {
    const ids = wanted.get(part.plan) ?? new Set()
    for (const row of rows) {
      const value = row.values[part.field._id]
      if (isMultiple(part.field) && Array.isArray(value)) for (const id of value) ids.add(String(id))
      else if (value !== undefined) ids.add(String(Array.isArray(value) ? value[0] : value))
    }
    if (ids.size > 0) wanted.set(part.plan, ids)
  }
}

const quoted = (time: string | null) => (time === null ? 'null' : `"${time}"`)
