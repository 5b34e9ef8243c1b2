import { randomBytes } from 'node:crypto'
import { checkShape, contentBounds, parseJson } from '../json.ts'

/*
 * JSON that is read, changed and written again, in which numbers with more digits than a double has stay as they were written: in
 * between they are texts with a mark that nobody can write beforehand.
 */

const mark = randomBytes(16).toString('hex')
/** A string, passed over; or a number of sixteen digits or more, or with an exponent. */
const stringOrLong = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]{15,}(?:[eE][+-]?\d+)?|-?\d[\d.]*[eE][+-]?\d+/g
const marked = new RegExp(`"${mark}:([^"]*)"`, 'g')

/** JSON.parse of UTF-8; throws InvalidJson, also for more than `bounds` allow. */
export function readExact(text: Buffer, bounds = contentBounds): unknown {
  checkShape(text, bounds)
  const source = text.toString('utf8')
  if (!/\d[\d.]{15}|\d[eE][+-]?\d/.test(source)) return parseJson(text)
  return parseJson(
    Buffer.from(
      source.replace(stringOrLong, (found) => (found.startsWith('"') ? found : `"${mark}:${found}"`)),
    ),
  )
}

/** JSON.stringify of what {@link readExact} has read, in one line. */
export const writeExact = (value: unknown): string => JSON.stringify(value).replace(marked, '$1')

/** A text as it was, a number's included. */
export const unmarked = (text: string): string =>
  text.startsWith(`${mark}:`) ? text.slice(mark.length + 1) : text
