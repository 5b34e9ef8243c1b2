import type { Field } from '#shared/fields/index.ts'
import { idPattern } from '#shared/identifiers.ts'
import { comparisonOf } from '../model.ts'
import type { FieldPlace, Inside, Leaf, SystemName, Value } from './tree.ts'

/** Which state is read: what is published, or the current one (draft or else published; not in the trash). */
export type Stage = 'published' | 'current'

/** What stands in one row of this stage, as SQL: its values typed for comparing and sorting, and its own columns. */
export class RowSql {
  readonly stage: Stage
  /** Items of values, by their aliases as rows with the column `value`, with the key that is looked under in them. */
  protected readonly itemKeys = new Map<string, string>()

  constructor(stage: Stage) {
    this.stage = stage
  }

  /** As in `document_text.stage`, where 2 stands for both. */
  get stageNumber(): 0 | 1 {
    return this.stage === 'published' ? 1 : 0
  }

  /** The values, by field `_id`. */
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

  /** What the values of the alias stand in: the body of a row, or an item. */
  protected around(alias: string): string {
    return this.itemKeys.has(alias) ? `${alias}.value` : this.body(alias)
  }

  protected firstKey({ field, inside }: FieldPlace, alias: string): string {
    return this.itemKeys.get(alias) ?? fieldId(inside?.[0]?.field ?? field)
  }

  protected single(place: FieldPlace, alias: string): string {
    return `(${this.json(place, alias)}->>0) COLLATE "C"`
  }

  /** The one value of a leaf, typed for comparing and sorting. */
  expression(leaf: Leaf, alias: string): string {
    if (leaf.kind === 'system') return this.system(leaf.name, alias)
    const item = `(${this.json(leaf, alias)}->0)`
    switch (comparisonOf(leaf.field)) {
      case 'number': // a value from before a change of type must not end the query
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

/** A column of a row; alias `''` stands for the bare one. */
export const column = (alias: string, name: string) => (alias === '' ? name : `${alias}.${name}`)

export const status = (alias: string) =>
  `(CASE WHEN ${column(alias, 'published_at')} IS NULL THEN 'draft'` +
  ` WHEN ${column(alias, 'draft')} IS NULL THEN 'published' ELSE 'changed' END)`

/** Has the row this status? Written as the indexes on drafts and on what was changed are. */
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

/** Saving a draft moves updated_at; readers of what is published must not see even that. */
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

/** A key in an item: the `_id` of a field, or a name of its type's own. */
export function innerKey({ key }: Pick<Inside, 'key'>): string {
  if (!/^\w+$/.test(key)) throw new TypeError(`“${key}” is no key of an item`)
  return key
}

/** A value as a parameter is given. */
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

/** A value as it stands in the JSON of a row. */
export function jsonOf(value: Value): unknown {
  return value.kind === 'number' ? value.number : plain(value)
}

/** The type of the parameter. */
export function castOf(leaf: Leaf, value: Value): string {
  if (value.kind === 'number') return leaf.kind === 'system' ? 'float8' : 'numeric'
  if (value.kind === 'span') return leaf.kind === 'system' ? 'timestamptz' : 'text'
  return 'text'
}
