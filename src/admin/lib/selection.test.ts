import { expect, it } from 'vitest'
import { nothingSelected, selectRange, toggleAll, toggleRow } from './selection.ts'

const rows = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, title: id.toUpperCase() }))
const row = (index: number) => rows[index]!
const ids = (selection: { chosen: ReadonlyMap<string, string> }) => [...selection.chosen.keys()].sort()

it('`toggleRow` selects and deselects a row', () => {
  const on = toggleRow(nothingSelected, row(1))
  expect(ids(on)).toEqual(['b'])
  expect(ids(toggleRow(on, row(1)))).toEqual([])
  expect(on.chosen.get('b')).toBe('B')
})

it('`selectRange` selects rows after or before the anchor, and keeps an earlier range selected', () => {
  const start = toggleRow(nothingSelected, row(2))
  expect(ids(selectRange(start, rows, row(4)))).toEqual(['c', 'd', 'e'])
  const up = selectRange(start, rows, row(0))
  expect(ids(up)).toEqual(['a', 'b', 'c'])
  expect(ids(selectRange(up, rows, row(3)))).toEqual(['a', 'b', 'c', 'd'])
})

it('`selectRange` deselects the range if the anchor was deselected', () => {
  const all = toggleAll(nothingSelected, rows)
  const off = toggleRow(all, row(1))
  expect(ids(selectRange(off, rows, row(3)))).toEqual(['a', 'e'])
})

it('`selectRange` skips rows that are not loaded, and adds only the given row if the anchor is missing', () => {
  const start = toggleRow(nothingSelected, row(0))
  expect(ids(selectRange(start, [rows[0], undefined, rows[2]], row(2)))).toEqual(['a', 'c'])
  expect(ids(selectRange({ ...start, anchor: 'gone' }, rows, row(1)))).toEqual(['a', 'b'])
})

it('`toggleAll` selects all rows, deselects them on the second call, and keeps another document selected', () => {
  const other = toggleRow(nothingSelected, { id: 'z', title: 'Z' })
  const all = toggleAll(other, rows)
  expect(ids(all)).toEqual(['a', 'b', 'c', 'd', 'e', 'z'])
  expect(ids(toggleAll(all, rows))).toEqual(['z'])
})
