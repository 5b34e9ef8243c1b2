import { maximumEmbedCode } from '#shared/fields/embed.ts'
import { sanitizeEmbedCode } from '../embed-code.ts'
import { toEmbedCode } from '../text-work.ts'
import type { ServerFieldType } from './field-type.ts'
import { htmlTextInSql } from './html-sql.ts'
import { reason, takeText } from './received.ts'

/** Matches the beginning of embed codes. Rich texts usually begin with a paragraph, a heading or a list. */
const beginning =
  /^\s*<(?:iframe|script|blockquote\s[^>]*class=|div\s[^>]*class=["'][^"'>]*(?:embed|iframely))/i

export const embed: ServerFieldType<'EMBED'> = {
  accept: toEmbedCode,
  isUnordered: true,
  sqlText: htmlTextInSql,
  received: {
    take(value, around) {
      if (typeof value !== 'string' || value.length > maximumEmbedCode || !beginning.test(value)) return null
      return sanitizeEmbedCode(value.trim()) === null ? null : takeText(value, around)
    },
    differs(value) {
      const kept = sanitizeEmbedCode(String(value).trim())
      return kept === value ? undefined : kept === String(value).trim() ? 'normalized' : 'sanitized'
    },
    likeness: () => ({ confidence: 0.95, why: reason('embedCodes') }),
  },
}
