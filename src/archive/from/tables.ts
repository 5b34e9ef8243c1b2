import { fileAddress, momentOf } from './values.ts'

/** What all cells of a column are. */
export type ColumnKind = 'number' | 'boolean' | 'moment' | 'file' | 'text'

/** Looks at the cells of a column; empty ones say nothing. */
export class Column {
  readonly #zone: string
  #possible: Set<ColumnKind> = new Set(['number', 'boolean', 'moment', 'file'])
  #seen = 0

  constructor(zone: string) {
    this.#zone = zone
  }

  add(cell: string): void {
    const text = cell.trim()
    if (text === '') return
    this.#seen += 1
    for (const kind of this.#possible)
      if (read(text, kind, this.#zone) === undefined) this.#possible.delete(kind)
  }

  get kind(): ColumnKind {
    return this.#seen === 0 ? 'text' : ([...this.#possible][0] ?? 'text')
  }
}

/** A cell as a value of its column; null: it is empty. */
export function cellValue(cell: string, kind: ColumnKind, zone: string): unknown {
  // Spreadsheets break lines as their system does.
  if (kind === 'text') return cell.replace(/\r\n?/g, '\n')
  const text = cell.trim()
  return text === '' ? null : (read(text, kind, zone) ?? null)
}

function read(text: string, kind: ColumnKind, zone: string): unknown {
  switch (kind) {
    case 'number':
      // Zeros in front are those of telephone numbers and postcodes; nothing may get lost behind the point.
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
