/**
 * The titles of the selected documents by `_id`. `anchor`: the `_id` of the row where a range starts; null if there is
 * none.
 */
export interface Selection {
  chosen: ReadonlyMap<string, string>
  anchor: string | null
}

export interface SelectableRow {
  id: string
  title: string
}

export const nothingSelected: Selection = { chosen: new Map(), anchor: null }

/** Toggles one row and makes it the anchor. */
export function toggleRow(selection: Selection, row: SelectableRow): Selection {
  const chosen = new Map(selection.chosen)
  if (!chosen.delete(row.id)) chosen.set(row.id, row.title)
  return { chosen, anchor: row.id }
}

/**
 * Sets all rows from the anchor to `row`, both included, to the state of the anchor. Rows that are not loaded are
 * skipped. If the anchor is not among the rows, only `row` is toggled.
 */
export function selectRange(
  selection: Selection,
  rows: readonly (SelectableRow | undefined)[],
  row: SelectableRow,
): Selection {
  const from = rows.findIndex((one) => one?.id === selection.anchor)
  const to = rows.findIndex((one) => one?.id === row.id)
  if (selection.anchor === null || from < 0 || to < 0) return toggleRow(selection, row)
  const on = selection.chosen.has(selection.anchor)
  const chosen = new Map(selection.chosen)
  for (const one of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) {
    if (!one) continue
    if (on) chosen.set(one.id, one.title)
    else chosen.delete(one.id)
  }
  return { chosen, anchor: selection.anchor }
}

/** Selects all loaded rows, or deselects them if all of them are selected. Other selected documents stay selected. */
export function toggleAll(selection: Selection, rows: readonly (SelectableRow | undefined)[]): Selection {
  const known = rows.filter((row) => row !== undefined)
  const all = known.length > 0 && known.every((row) => selection.chosen.has(row.id))
  const chosen = new Map(selection.chosen)
  for (const row of known) {
    if (all) chosen.delete(row.id)
    else chosen.set(row.id, row.title)
  }
  return { chosen, anchor: null }
}
