import { isUtf8 } from 'node:buffer'
import { isContent, isRecord } from '#archive/shapes.ts'
import { LongNumber } from '#server/content/fields/received.ts'
import { storableTextOf } from '#shared/unicode.ts'

/** A text of an archive that cannot be kept as it came. */
export interface UnstorableText {
  /** `_id` of the content that it stands in, which may be a copy inside of another one; `''` for none. */
  content: string
  /** Keys from there, without the places in lists: `sections.label`. */
  path: string
  /** As it came, with signs for what cannot be kept. */
  shown: string
}

/** Signs that stand for what is not shown: U+2400, and what Unicode itself puts in place of what is no text. */
const shownText = (text: string) => text.replaceAll('\u0000', '\u2400').toWellFormed()

/**
 * Replaces every text and key that PostgreSQL cannot keep by one that it can, in place; `line` is the JSON that `value` was
 * parsed from. Answers what was replaced.
 */
export function makeStorable(value: unknown, line: Buffer): { value: unknown; replaced: UnstorableText[] } {
  const isText = isUtf8(line)
  // Only an escape can stand for a NUL or a lone surrogate.
  if (isText && !line.includes('\\u')) return { value, replaced: [] }
  const replaced: UnstorableText[] = []

  function visitText(text: string, content: string, path: string): string {
    const clean = storableTextOf(text)
    // Bytes that are no UTF-8 were replaced when the line was read.
    if (clean !== text || (!isText && text.includes('\ufffd')))
      replaced.push({ content, path, shown: shownText(text) })
    return clean
  }

  function visit(inner: unknown, content: string, path: string): unknown {
    if (typeof inner === 'string') return visitText(inner, content, path)
    if (Array.isArray(inner)) return inner.map((item) => visit(item, content, path))
    if (!isRecord(inner) || inner instanceof LongNumber) return inner
    const own = isContent(inner) ? storableTextOf(inner._id) : undefined
    const [around, above] = own === undefined ? [content, path] : [own, '']
    const entries = new Map<string, unknown>()
    for (const [key, item] of Object.entries(inner)) {
      const at = (name: string) => (above === '' ? name : `${above}.${name}`)
      let name = visitText(key, around, at(storableTextOf(key)))
      // Two keys that differed in such characters alone stay two.
      while (entries.has(name)) name += '_'
      entries.set(name, visit(item, around, at(name)))
    }
    return Object.fromEntries(entries)
  }

  return { value: visit(value, '', ''), replaced }
}
