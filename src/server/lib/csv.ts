import { stringify } from 'csv-stringify/sync'

/** What a CSV file begins with: Excel knows UTF-8 by it. */
export const csvMark = '\ufeff'

/** Rows as lines of CSV. */
export const csvLines = (rows: unknown[][]): string =>
  stringify(rows, { record_delimiter: 'windows', quoted_match: /[\r\n]/ })

/** Programs for tables would run it as a formula, in full width too. */
const formula = /^[=+\-@\t\r＝＋－＠]/

/** A text that no program for tables runs. */
export const harmless = (text: string): string => (formula.test(text) ? `'${text}` : text)
