import { isUtf8 } from 'node:buffer'
import { isContent, isRecord } from '#archive/shapes.ts'
import { LongNumber } from '#server/content/fields/received.ts'
import { storableTextOf } from '#shared/unicode.ts'

/** A text of an archive that PostgreSQL cannot store unchanged. */
export interface UnstorableText {
  /**
   * `_id` of the content that contains the text, which may be a copy inside another content. `''`: that content has no
   * `_id`.
   */
  content: string
  /** Keys on the way from that content to the text, without list indexes: `sections.label`. */
  path: string
  /** The original, with placeholders for the characters that cannot be stored. */
  shown: string
}

/** Replaces NUL by U+2400 and lone surrogates by U+FFFD. */
const shownText = (text: string) => text.replaceAll('\u0000', '\u2400').toWellFormed()

/**
 * Replaces every text and key that PostgreSQL cannot store. `line` is the JSON from which `value` was parsed. Returns
 * the new value and the replaced texts.
 */
export function makeStorable(value: unknown, line: Buffer): { value: unknown; replaced: UnstorableText[] } {
  const isText = isUtf8(line)
  // JSON in valid UTF-8 can contain a NUL or a lone surrogate only as a `\u` escape.
  if (isText && !line.includes('\\u')) return { value, replaced: [] }
  const replaced: UnstorableText[] = []

  function visitText(text: string, content: string, path: string): string {
    const clean = storableTextOf(text)
    // Decoding the line already replaced bytes that are not valid UTF-8 by U+FFFD.
    if (clean !== text || (!isText && text.includes('\ufffd')))
      replaced.push({ content, path, shown: shownText(text) })
    return clean
  }

  function visit(inner: unknown, content: string, path: string): unknown {
    if (typeof inner === 'string') return visitText(inner, content, path)
    if (Array.isArray(inner)) return inner.map((item) => visit(item, content, path))
    if (!isRecord(inner) || inner instanceof LongNumber) return inner
    const own = isContent(inner) ? storableTextOf(inner._id) : undefined
    const [owner, above] = own === undefined ? [content, path] : [own, '']
    const entries = new Map<string, unknown>()
    for (const [key, item] of Object.entries(inner)) {
      const at = (name: string) => (above === '' ? name : `${above}.${name}`)
      let name = visitText(key, owner, at(storableTextOf(key)))
      // Otherwise keys that differ only in the replaced characters would become one key.
      while (entries.has(name)) name += '_'
      entries.set(name, visit(item, owner, at(name)))
    }
    return Object.fromEntries(entries)
  }

  return { value: visit(value, '', ''), replaced }
}
