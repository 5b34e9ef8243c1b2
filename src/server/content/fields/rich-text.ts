import { htmlToText } from '#shared/fields/html-text.ts'
import { isFromQuill } from '#shared/quill-html.ts'
import { sanitizeRichText } from '../html.ts'
import { toRichText } from '../text-work.ts'
import type { ServerFieldType } from './field-type.ts'
import { htmlTextInSql } from './html-sql.ts'
import { isHtml, reason, takeText } from './received.ts'

export const richText: ServerFieldType<'RICH_TEXT'> = {
  accept: toRichText,
  present: { text: htmlToText },
  formats: ['text'],
  isUnordered: true,
  sqlText: htmlTextInSql,
  received: {
    kinds: { html: {} },
    take(value, around) {
      if (typeof value !== 'string') return null
      // A text without markup is valid HTML unless it contains characters with a meaning in HTML.
      if (!isHtml(value)) return /[<>&]/.test(value) ? null : takeText(value, around)
      return { ...takeText(value, around), notes: isFromQuill(value) ? ['html', 'quill'] : ['html'] }
    },
    arrivesAsHtml: true,
    differs: (value) => (sanitizeRichText(String(value)) === value ? undefined : 'normalized'),
    likeness(seen) {
      const html = seen.noted('RICH_TEXT', 'html')
      return html > 0 ? { confidence: 0.92, why: reason('html', { count: html }) } : null
    },
  },
}
