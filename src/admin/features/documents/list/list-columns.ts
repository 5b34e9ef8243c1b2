import { type CSSProperties, useState } from 'react'
import { readStoredJson, writeStored } from '#admin/base/storage.ts'
import type { ListColumn } from '#admin/fields/field-props.ts'
import { adminFieldType } from '#admin/fields/index.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { Field } from '#shared/fields/index.ts'
import { type SystemColumn, systemColumns } from '#shared/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { type ListModel, onlyPaths } from './list-fields.ts'
import { readListSearch } from './list-search.ts'

/** A column other than the title. `id`: a field path or a name below `_sys`. */
export interface Column extends ListColumn {
  id: string
  /** undefined for system columns. */
  field?: Field
  /** For an inner field: its display name, `著者 › 名前`. */
  innerName?: string
  /** Whether the column is sticky, next to the title. */
  sticky?: boolean
}

/** A column as stored in settings. */
export type ChosenColumn = NonNullable<ViewSettings['columns']>[number]

/** Returns a system column's translation key. Keys must not contain dots. */
export function systemKey<C extends SystemColumn>(column: C) {
  return column.slice('_sys.'.length) as C extends `_sys.${infer Name}` ? Name : never
}

const usual: ChosenColumn[] = [{ id: '_sys.status' }, { id: '_sys.updatedAt' }, { id: '_sys.updatedBy' }]

/** Returns all columns available for a list of the model, in order. Inner fields with one value follow their field. */
export function allColumns(model: ListModel<Pick<Model, 'fields' | 'titleField'>>): Column[] {
  const inner = onlyPaths(model).map(
    ({ path, names, field }): Column => ({
      id: path,
      field,
      innerName: names.join(' › '),
      ...widthOf(field),
    }),
  )
  const fields = model.fields
    .filter((field) => field._id !== model.titleField)
    .flatMap((field): Column[] => [
      { id: field.uid, field, ...widthOf(field) },
      ...inner.filter(({ id }) => id.startsWith(`${field.uid}.`)),
    ])
  const system = systemColumns.map((id): Column => ({ id, width: systemWidth(id), grows: false }))
  return [...system.slice(0, 1), ...fields, ...system.slice(1)]
}

function systemWidth(id: SystemColumn): number {
  if (id === '_sys.status') return 210
  return id.endsWith('At') ? 200 : 160
}

function widthOf(field: Field): ListColumn {
  return adminFieldType(field).column?.(field) ?? { width: 160, grows: true }
}

/** Returns the chosen columns in order, sticky columns first. Columns of deleted fields are omitted. */
export function shownColumns(all: readonly Column[], chosen: readonly ChosenColumn[]): Column[] {
  const shown = chosen.flatMap(({ id, width, sticky = false }) => {
    const column = all.find((one) => one.id === id)
    if (!column) return []
    return [{ ...column, ...(width === undefined ? {} : { width, grows: false }), sticky }]
  })
  return [...shown.filter(({ sticky }) => sticky), ...shown.filter(({ sticky }) => !sticky)]
}

export interface Columns {
  all: readonly Column[]
  shown: readonly Column[]
  chosen: readonly ChosenColumn[]
  /** Sets the columns. undefined: the default columns. */
  choose: (columns: ChosenColumn[] | undefined) => void
}

/**
 * Returns the columns of a list and a function that changes them. A list with a view passes `change`, which updates the
 * settings. Without `change`, columns are stored in this browser. `settings` takes precedence over columns in the
 * browser, and these over the default columns.
 */
export function useColumns(
  place: ModelPlace,
  model: ListModel<Pick<Model, 'fields' | 'titleField'>>,
  settings: ViewSettings,
  change: ((columns: ChosenColumn[] | undefined) => void) | undefined,
): Columns {
  const key = `imori-columns/${place.p}/${place.a}/${place.m}`
  const [stored, setStored] = useState(() => readStored(key))
  const all = allColumns(model)
  const chosen = settings.columns ?? (change ? usual : (stored ?? usual))
  return {
    all,
    chosen,
    shown: shownColumns(all, chosen),
    choose:
      change ??
      ((columns) => {
        setStored(columns)
        writeStored(key, JSON.stringify(columns ?? null))
      }),
  }
}

/** Returns a document's value in the column of a field. */
export function valueIn(document: Document, { id }: Column): unknown {
  let value: unknown = document
  for (const name of id.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name]
  return value
}

/** Reads the columns stored in this browser. Older versions stored names instead of objects. */
function readStored(key: string): ChosenColumn[] | undefined {
  const value = readStoredJson(key)
  if (!Array.isArray(value)) return undefined
  return readListSearch({ columns: value.map((one) => (typeof one === 'string' ? { id: one } : one)) })
    .columns
}

/** The styles of sticky cells by column. `title`: the style of the title. */
export interface StickyOffsets {
  title: CSSProperties | undefined
  columns: ReadonlyMap<string, CSSProperties>
}

/**
 * Returns the offsets of sticky columns, which follow the checkbox and the title. If any column is sticky, checkbox and
 * title are sticky too.
 */
export function stickyOffsets(
  columns: readonly Column[],
  checkWidth: number,
  titleWidth: number,
): StickyOffsets {
  const offsets = new Map<string, CSSProperties>()
  const at = (left: number): CSSProperties => ({ position: 'sticky', left, zIndex: 1 })
  let left = checkWidth + titleWidth
  for (const { id, width, sticky } of columns) {
    if (!sticky) continue
    offsets.set(id, at(left))
    left += width
  }
  return { title: offsets.size > 0 ? at(checkWidth) : undefined, columns: offsets }
}
