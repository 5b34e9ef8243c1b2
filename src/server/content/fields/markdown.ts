import { renderMarkdown } from '../html.ts'
import { toHtml } from '../text-work.ts'
import type { ServerFieldType } from './field-type.ts'
import { isHtml, reason, takeText } from './received.ts'

export const markdown: ServerFieldType<'MARKDOWN'> = {
  present: { html: toHtml },
  formats: ['text'],
  isUnordered: true,
  received: {
    kinds: { markdown: {} },
    /**
     * Takes the Markdown source of an HTML value if the source was sent and contains the same constructs. Otherwise
     * takes the HTML itself, which is valid Markdown.
     */
    take(value, around) {
      const { text, field } = around
      if (typeof value !== 'string') return null
      const source = typeof text === 'string' ? text : undefined
      const marks = source === undefined ? 'unknown' : marksOf(value, source)
      // Without `field`, the type is still being guessed. Then HTML whose source lacks its constructs is refused, and
      // so is text that is not HTML and has no source. With `field`, any text is accepted.
      if (!field && (marks === 'lost' || (marks === 'unknown' && !isHtml(value)))) return null
      if (source === undefined || marks === 'lost')
        return { ...takeText(value, around), difference: 'rendered', notes: [marks] }
      return { ...takeText(source, around), notes: [marks] }
    },
    // Removed markup is counted in the received HTML. In the Markdown source, text that looks like a tag may be code.
    arrivesAsHtml: true,
    differs: (value, { input }) => (renderMarkdown(String(input)) === value ? undefined : 'rendered'),
    likeness(seen) {
      const found = seen.noted('MARKDOWN', 'kept')
      if (found > 0) return { confidence: 0.97, why: reason('markdownSource', { count: found }) }
      // Plain paragraphs are equal in HTML and Markdown, so they are weak evidence. HTML without a source is no
      // evidence.
      return seen.noted('MARKDOWN', 'none') > 0 ? { confidence: 0.3, why: reason('plainParagraphs') } : null
    },
  },
}

/**
 * Patterns of HTML constructs. Each has a second pattern that matches the Markdown for it, or its HTML tag, which
 * Markdown allows.
 */
const marks: readonly [html: RegExp, source: RegExp][] = [
  [/<h[1-6]\b/i, /^ {0,3}#{1,6}(?:\s|$)|^ {0,3}(?:=+|-+)\s*$|<h[1-6]\b/im],
  [/<(?:strong|b)>/i, /\*\*|__|<(?:strong|b)\b/i],
  [/<(?:em|i)>/i, /[*_]|<(?:em|i)\b/i],
  [/<img\b/i, /!\[|<img\b/i],
  [/<li\b/i, /^[^\S\r\n\u2028\u2029]*(?:[-*+]|\d{1,9}[.)])\s|<li\b/im],
  [/<table\b/i, /\||<table\b/i],
  [/<(?:pre|code)\b/i, /`|~~~|^(?: {4}|\t)|<(?:pre|code)\b/im],
  [/<blockquote\b/i, /^ {0,3}>|<blockquote\b/im],
  [/<a\s/i, /\]\(|\]\[|\]:|<a\s|https?:\/\/|www\.|@/i],
  [
    /<(?:u|mark|span|iframe|figure|sub|sup|details|ruby)\b/i,
    /<(?:u|mark|span|iframe|figure|sub|sup|details|ruby)\b/i,
  ],
]

/** Checks whether the source contains the constructs of the HTML. `none`: the HTML has no distinctive construct. */
function marksOf(html: string, source: string): 'kept' | 'lost' | 'none' {
  const present = marks.filter(([made]) => made.test(html))
  if (present.length === 0) return 'none'
  return present.every(([, written]) => written.test(source)) ? 'kept' : 'lost'
}
