import { removalsOf } from '#shared/html-removals.ts'
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
    /** Of HTML its source, where that came too; without it the HTML, which is Markdown as well. */
    take(value, around) {
      const { text, field } = around
      if (typeof value !== 'string') return null
      const source = typeof text === 'string' ? text : undefined
      const marks = source === undefined ? 'unknown' : marksOf(value, source)
      // Which of them are no source is known only before it is said that all are.
      if (!field && (marks === 'lost' || (marks === 'unknown' && !isHtml(value)))) return null
      if (source === undefined || marks === 'lost')
        return { ...takeText(value, around), difference: 'rendered', notes: [marks] }
      return { ...takeText(source, around), notes: [marks] }
    },
    // Of the HTML that sites received: in the source, what looks like a tag may be code.
    removed: (value) => removalsOf(String(value)),
    differs: (value, { input }) => (renderMarkdown(String(input)) === value ? undefined : 'rendered'),
    likeness(seen) {
      const found = seen.noted('MARKDOWN', 'kept')
      if (found > 0) return { confidence: 0.97, why: reason('markdownSource', { count: found }) }
      // Paragraphs alone look the same in both, and HTML of which there is no source says too little.
      return seen.noted('MARKDOWN', 'none') > 0 ? { confidence: 0.3, why: reason('plainParagraphs') } : null
    },
  },
}

/** What HTML is made of, and how that is written in Markdown, where HTML is Markdown too. */
const marks: readonly [html: RegExp, source: RegExp][] = [
  [/<h[1-6]\b/i, /^ {0,3}#{1,6}(?:\s|$)|^ {0,3}(?:=+|-+)\s*$|<h[1-6]\b/im],
  [/<(?:strong|b)>/i, /\*\*|__|<(?:strong|b)\b/i],
  [/<(?:em|i)>/i, /[*_]|<(?:em|i)\b/i],
  [/<img\b/i, /!\[|<img\b/i],
  [/<li\b/i, /^\s*(?:[-*+]|\d{1,9}[.)])\s|<li\b/im],
  [/<table\b/i, /\||<table\b/i],
  [/<(?:pre|code)\b/i, /`|~~~|^(?: {4}|\t)|<(?:pre|code)\b/im],
  [/<blockquote\b/i, /^ {0,3}>|<blockquote\b/im],
  [/<a\s/i, /\]\(|\]\[|\]:|<a\s|https?:\/\/|www\.|@/i],
  [
    /<(?:u|mark|span|iframe|figure|sub|sup|details|ruby)\b/i,
    /<(?:u|mark|span|iframe|figure|sub|sup|details|ruby)\b/i,
  ],
]

/** Are the marks of the HTML in its text? `none`: it has none that would tell. */
function marksOf(html: string, source: string): 'kept' | 'lost' | 'none' {
  const present = marks.filter(([made]) => made.test(html))
  if (present.length === 0) return 'none'
  return present.every(([, written]) => written.test(source)) ? 'kept' : 'lost'
}
