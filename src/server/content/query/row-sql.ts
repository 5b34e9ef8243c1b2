import type { Field } from '#shared/fields/index.ts'
import { idPattern } from '#shared/identifiers.ts'
import { comparisonOf } from '../model.ts'
import type { FieldPlace, Inside, Leaf, SystemName, Value } from './tree.ts'

/**
 * The state to read: the published one, or the current one (the draft if there is one, otherwise the published state;
 * not in the trash).
 */
export type Stage = 'published' | 'current'

/** Writes SQL for a row in this stage: its values, typed for comparing and sorting, and its own columns. */
export class RowSql {
  readonly stage: Stage
  /** The aliases of expanded items (rows with the column `value`), each with the key to read within the item. */
  protected readonly itemKeys = new Map<string, string>()

  constructor(stage: Stage) {
    this.stage = stage
  }

  /** The number of this stage in `document_text.stage`, where 2 stands for both stages. */
  get stageNumber(): 0 | 1 {
    return this.stage === 'published' ? 1 : 0
  }

  /** Returns SQL for the document's values, keyed by field `_id`. */
  body(alias: string): string {
    const published = column(alias, 'pub')
    return this.stage === 'published' ? published : `coalesce(${column(alias, 'draft')}, ${published})`
  }

  protected json(place: FieldPlace, alias: string): string {
    const { inside = [] } = place
    const keys = [this.firstKey(place, alias), ...inside.map(innerKey)]
    if (keys.length === 1) return `(${this.around(alias)}->'${keys[0]}')`
    return `jsonb_path_query_first(${this.around(alias)}, '$${keys.map((key) => `."${key}"`).join('[0]')}')`
  }

  /** Returns SQL for the JSON that contains the values of this alias: the body of a row, or an item. */
  protected around(alias: string): string {
    return this.itemKeys.has(alias) ? `${alias}.value` : this.body(alias)
  }

  protected firstKey({ field, inside }: FieldPlace, alias: string): string {
    return this.itemKeys.get(alias) ?? fieldId(inside?.[0]?.field ?? field)
  }

  protected single(place: FieldPlace, alias: string): string {
    return `(${this.json(place, alias)}->>0) COLLATE "C"`
  }

  /** Returns SQL for the single value of a leaf, typed for comparing and sorting. */
  expression(leaf: Leaf, alias: string): string {
    if (leaf.kind === 'system') return this.system(leaf.name, alias)
    const item = `(${this.json(leaf, alias)}->0)`
    switch (comparisonOf(leaf.field)) {
      case 'number': // a value that remains from a previous type must not make the query fail
        return `(CASE WHEN jsonb_typeof(${item}) = 'number' THEN ${item}::numeric END)`
      case 'boolean':
        return `coalesce(${item} = 'true'::jsonb, false)`
      default:
        return this.single(leaf, alias)
    }
  }

  private system(name: SystemName, alias: string): string {
    const published = this.stage === 'published'
    const its = (of: string) => column(alias, of)
    switch (name) {
      case '_id':
        return its('id')
      case '_sys.createdAt':
        return its(published ? 'first_published_at' : 'created_at')
      case '_sys.updatedAt':
        return its(published ? 'published_at' : 'updated_at')
      case '_sys.customOrder':
        return its('custom_order')
      case '_sys.raw.createdAt':
        return its('created_at')
      case '_sys.raw.updatedAt':
        return updatedAt(this.stage, alias)
      case '_sys.raw.firstPublishedAt':
        return its('first_published_at')
      case '_sys.raw.publishedAt':
        return its('published_at')
      case '_sys.status':
        return status(alias)
      case '_sys.createdBy':
        return its('created_by')
      case '_sys.updatedBy':
        return its('updated_by')
    }
  }

  protected isNeverNull(leaf: Leaf): boolean {
    if (leaf.kind === 'field') return comparisonOf(leaf.field) === 'boolean'
    switch (leaf.name) {
      case '_sys.customOrder':
      case '_sys.createdBy':
      case '_sys.updatedBy':
        return false
      case '_sys.raw.firstPublishedAt':
      case '_sys.raw.publishedAt':
        return this.stage === 'published'
      default:
        return true
    }
  }
}

/** Returns a column of a row. Alias `''`: the column without a table alias. */
export const column = (alias: string, name: string) => (alias === '' ? name : `${alias}.${name}`)

export const status = (alias: string) =>
  `(CASE WHEN ${column(alias, 'published_at')} IS NULL THEN 'draft'` +
  ` WHEN ${column(alias, 'draft')} IS NULL THEN 'published' ELSE 'changed' END)`

/**
 * Returns the condition that the row has this status, in the form of the partial indexes on drafts and on changed
 * documents.
 */
export function hasStatus(value: string, alias: string): string {
  const [published, draft] = [column(alias, 'published_at'), column(alias, 'draft')]
  switch (value) {
    case 'draft':
      return `${published} IS NULL`
    case 'published':
      return `(${published} IS NOT NULL AND ${draft} IS NULL)`
    case 'changed':
      return `(${published} IS NOT NULL AND ${draft} IS NOT NULL)`
    default:
      return 'FALSE'
  }
}

/**
 * Returns the column with the time of the last change. Saving a draft changes `updated_at`, which must not reveal
 * drafts to readers of published content.
 */
export const updatedAt = (stage: Stage, alias: string) =>
  column(alias, stage === 'published' ? 'published_updated_at' : 'updated_at')

export function integer(id: number): string {
  if (!Number.isSafeInteger(id)) throw new TypeError('a model without an integer key')
  return String(id)
}

export function fieldId(field: Field): string {
  if (!idPattern.test(field._id)) throw new TypeError('a field without an _id')
  return field._id
}

/** Checks and returns a key within an item: the `_id` of a field, or a name defined by the item's type. */
export function innerKey({ key }: Pick<Inside, 'key'>): string {
  if (!/^\w+$/.test(key)) throw new TypeError(`“${key}” is no key of an item`)
  return key
}

/** Converts a value to the form of a statement parameter; a span to its start. */
export function plain(value: Value): string {
  switch (value.kind) {
    case 'number':
      return String(value.number)
    case 'boolean':
      return String(value.boolean)
    case 'span':
      return value.start
    default:
      return value.text
  }
}

/** Converts a value to its form in a row's JSON. */
export function jsonOf(value: Value): unknown {
  return value.kind === 'number' ? value.number : plain(value)
}

/** Returns the PostgreSQL type to which the parameter is cast. */
export function castOf(leaf: Leaf, value: Value): string {
  if (value.kind === 'number') return leaf.kind === 'system' ? 'float8' : 'numeric'
  if (value.kind === 'span') return leaf.kind === 'system' ? 'timestamptz' : 'text'
  return 'text'
}
