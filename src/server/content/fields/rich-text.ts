import { htmlToText } from '#shared/fields/html-text.ts'
import { toRichText } from '../text-work.ts'
import type { ServerFieldType } from './field-type.ts'
import { htmlTextInSql } from './html-sql.ts'

export const richText: ServerFieldType<'RICH_TEXT'> = {
  accept: toRichText,
  present: { text: htmlToText },
  formats: ['text'],
  isUnordered: true,
  sqlText: htmlTextInSql,
}
