import { toEmbedCode } from '../text-work.ts'
import type { ServerFieldType } from './field-type.ts'
import { htmlTextInSql } from './html-sql.ts'

export const embed: ServerFieldType<'EMBED'> = {
  accept: toEmbedCode,
  isUnordered: true,
  sqlText: htmlTextInSql,
}
