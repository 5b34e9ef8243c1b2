import { markNumber } from './exact-values.ts'
import { fileAddress, isZeroDate, momentOf } from './values.ts'

/** The common type of all cells in a column. */
export type ColumnKind = 'number' | 'boolean' | 'moment' | 'file' | 'text'

/**
 * Determines the kind of a column from its cells. Empty cells are ignored. A zero date only shows that the column may
 * contain times.
 */
export class Column {
  readonly #zone: string
  #possible: Set<ColumnKind> = new Set(['number', 'boolean', 'moment', 'file'])
  #seen = 0
  #powers = 0
  #hasZeroDates = false

  constructor(zone: string) {
    this.#zone = zone
  }

  add(cell: string): void {
    const text = cell.trim()
    if (text === '') return
    if (isZeroDate(text)) {
      this.#hasZeroDates = true
      return
    }
    this.#seen += 1
    if (powerOfTen.test(text)) this.#powers += 1
    for (const kind of this.#possible)
      if (read(text, kind, this.#zone) === undefined) this.#possible.delete(kind)
  }

  get kind(): ColumnKind {
    if (this.#seen === 0) return 'text'
    // If most cells contain a power of ten, they are codes such as 12E3, not numbers.
    if (this.#powers * 2 > this.#seen) this.#possible.delete('number')
    const possible = [...this.#possible].filter((kind) => !this.#hasZeroDates || kind === 'moment')
    return possible[0] ?? 'text'
  }
}

/**
 * Converts a cell to the kind of its column, for `writeExact`. Returns null for an empty cell, except in a text column.
 */
export function cellValue(cell: string, kind: ColumnKind, zone: string): unknown {
  // Normalises line breaks of different systems.
  if (kind === 'text') return cell.replace(/\r\n?/g, '\n')
  const text = cell.trim()
  return text === '' ? null : (read(text, kind, zone) ?? null)
}

const powerOfTen = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?e[+-]?\d{1,2}$/i

function read(text: string, kind: ColumnKind, zone: string): unknown {
  switch (kind) {
    case 'number':
      // The notation is kept, because the plan may turn the numbers into texts.
      if (powerOfTen.test(text)) return markNumber(text)
      // Leading zeros mean telephone numbers or postcodes, and no decimals must be lost.
      return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(text) &&
        text.length <= 16 &&
        String(Number(text)) === text
        ? Number(text)
        : undefined
    case 'boolean':
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined
    case 'moment':
      return momentOf(text, zone) ?? undefined
    case 'file':
      return fileAddress(text)?.href
    case 'text':
      return text
  }
}
