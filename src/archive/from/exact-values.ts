import { randomBytes } from 'node:crypto'
import { checkShape, contentBounds, parseJson } from '../json.ts'

/*
 * Reads and writes JSON without losing digits: numbers that a double cannot hold are kept as texts with a random mark,
 * which input cannot forge.
 */

const mark = randomBytes(16).toString('hex')
/** A string (skipped), or a number with sixteen or more digits or an exponent. */
const stringOrLong = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]{15,}(?:[eE][+-]?\d+)?|-?\d[\d.]*[eE][+-]?\d+/g
const marked = new RegExp(`"${mark}:([^"]*)"`, 'g')

/** JSON.parse of UTF-8 that keeps long numbers; throws InvalidJson, also when `bounds` are exceeded. */
export function readExact(text: Buffer, bounds = contentBounds): unknown {
  checkShape(text, bounds)
  const source = text.toString('utf8')
  if (!/\d[\d.]{15}|\d[eE][+-]?\d/.test(source)) return parseJson(text)
  return parseJson(
    Buffer.from(
      source.replace(stringOrLong, (found) => (found.startsWith('"') ? found : `"${markNumber(found)}"`)),
    ),
  )
}

/** JSON.stringify in one line, for values from {@link readExact}. */
export const writeExact = (value: unknown): string => JSON.stringify(value).replace(marked, '$1')

/** Marks a JSON number, so that {@link writeExact} writes it as it is. */
export const markNumber = (number: string): string => `${mark}:${number}`

/** The original text, also of a marked number. */
export const unmarked = (text: string): string =>
  text.startsWith(`${mark}:`) ? text.slice(mark.length + 1) : text
