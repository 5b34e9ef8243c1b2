import { toHtml } from '../text-work.ts'
import type { ServerFieldType } from './field-type.ts'

export const markdown: ServerFieldType<'MARKDOWN'> = {
  present: { html: toHtml },
  formats: ['text'],
  isUnordered: true,
}
