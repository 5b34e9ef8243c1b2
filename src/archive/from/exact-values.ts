import { randomBytes } from 'node:crypto'
import { checkShape, contentBounds, parseJson } from '../json.ts'

/*
 * Reads and writes JSON without losing digits. Numbers that are not exact as a double are kept as texts with a random
 * mark, which input cannot forge.
 */

const mark = randomBytes(16).toString('hex')
/** A string (skipped), or a number with sixteen or more digits or an exponent. */
const stringOrLong = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]{15,}(?:[eE][+-]?\d+)?|-?\d[\d.]*[eE][+-]?\d+/g
const marked = new RegExp(`"${mark}:([^"]*)"`, 'g')

/** Parses UTF-8 JSON and keeps long numbers. Throws `InvalidJson`, also if the text exceeds `bounds`. */
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

/** Serialises a value from {@link readExact} as JSON in one line. */
export const writeExact = (value: unknown): string => JSON.stringify(value).replace(marked, '$1')

/** Marks a JSON number, so that {@link writeExact} writes it unchanged. */
export const markNumber = (number: string): string => `${mark}:${number}`

/** Returns a text without the mark of a number. Other texts are returned unchanged. */
export const unmarked = (text: string): string =>
  text.startsWith(`${mark}:`) ? text.slice(mark.length + 1) : text
