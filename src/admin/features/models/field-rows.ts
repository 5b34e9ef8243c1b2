import { type FormTab, tabOf, tabsOf } from '#admin/fields/tabs.ts'
import type { FieldDraft } from './draft.ts'

/** A tab heading in the list of fields. `tabName`: null for fields without a tab. */
export interface TabRow {
  key: string
  tabName: string | null
}

export type Row = FieldDraft | TabRow

export const isTabRow = (row: Row): row is TabRow => 'tabName' in row

/** Returns the rows of the list. If there are tabs, each tab has a heading above its fields. */
export function rowsOf(fields: readonly FieldDraft[]): Row[] {
  const tabs = tabsOf(fields)
  if (tabs.every(({ name }) => name === null)) return [...fields]
  return tabs.flatMap(({ name, fields: on }) => [{ key: `tab ${name ?? ''}`, tabName: name }, ...on])
}

/**
 * Returns the fields after moving a row. A field moves to the tab of the heading above it; a heading moves with its
 * fields.
 */
export function moveRow(fields: FieldDraft[], from: number, to: number): FieldDraft[] {
  const rows = rowsOf(fields)
  const row = rows[from]
  if (!row || from === to || !rows[to]) return fields
  if (isTabRow(row)) return moveTab(tabsOf(fields), tabAt(rows, from), tabAt(rows, to))
  const moved = rows.toSpliced(from, 1).toSpliced(to, 0, row)
  let tab = rows.some(isTabRow) ? (rows.find(isTabRow)?.tabName ?? null) : tabOf(row)
  return moved.flatMap((one): FieldDraft[] => {
    if (isTabRow(one)) {
      tab = one.tabName
      return []
    }
    return [one === row && tabOf(row) !== tab ? { ...row, tab } : one]
  })
}

const tabAt = (rows: Row[], index: number) => rows.slice(0, index + 1).filter(isTabRow).length - 1

function moveTab(tabs: FormTab<FieldDraft>[], from: number, to: number): FieldDraft[] {
  const tab = tabs[from]
  return tab
    ? tabs
        .toSpliced(from, 1)
        .toSpliced(to, 0, tab)
        .flatMap(({ fields }) => fields)
    : []
}

/** Renames a tab. If `to` is the name of another tab, both are merged. `to` null removes the fields from the tab. */
export function renameTab(fields: FieldDraft[], from: string | null, to: string | null): FieldDraft[] {
  return fields.map((field) => (tabOf(field) === from ? { ...field, tab: to } : field))
}
