import { htmlToText } from '#shared/fields/html-text.ts'
import { shorten } from '#shared/unicode.ts'
import { isHtml, LongNumber, type Origin } from '../fields/received.ts'

const longest = 80

/** Returns a value as one short line of readable text. */
export function sampleOf(value: unknown, origin: Origin): string {
  const whole = textOf(value, origin)
    .slice(0, 4 * longest)
    .replace(/\s+/gu, ' ')
    .trim()
  return whole.length > longest ? `${shorten(whole, longest - 1)}…` : whole.toWellFormed()
}

function textOf(value: unknown, origin: Origin): string {
  if (typeof value === 'string') {
    const begin = value.slice(0, 2_000)
    return origin.document(value)?.label || (isHtml(begin) ? htmlToText(begin) || begin : begin)
  }
  if (value instanceof LongNumber) return value.text
  if (typeof value !== 'object' || value === null) return String(value)
  const named = origin.asset(value)?.label ?? origin.document(value)?.label
  if (named !== undefined) return named
  return Object.entries(value)
    .filter(([key, inner]) => key !== '_id' && inner !== null && inner !== '')
    .slice(0, 4)
    .map(([key, inner]) => `${key}: ${typeof inner === 'object' ? '…' : textOf(inner, origin)}`)
    .join(', ')
}
