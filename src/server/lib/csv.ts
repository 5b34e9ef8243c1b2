/** The byte order mark at the start of a CSV file, by which Excel recognizes UTF-8. */
export const csvMark = '\ufeff'

/** Characters that a cell without quotation marks cannot contain. */
const special = /[",\r\n]/

const quoted = (cell: string) => (special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/**
 * Returns rows as lines of CSV (RFC 4180). Implemented here, because libraries call a function for each quotation mark,
 * which takes half a second for a megabyte.
 */
export const csvLines = (rows: string[][]): string =>
  rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('')

/** Beginnings that spreadsheet programs interpret as formulas, including full-width forms. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** Escapes a text so that spreadsheet programs do not run it as a formula. */
export const harmless = (text: string): string => (formula.test(text) ? `'${text}` : text)
