import { z } from 'zod'
import { assetIdsIn } from '../asset-address.ts'
import { documentIdsIn } from '../document-links.ts'
import { type FieldType, storableText } from './field-type.ts'
import { htmlToText, textToHtml } from './html-text.ts'
import { renamedText } from './renamed.ts'
import { lengthBoundsIssues, lengthIssues, parseText } from './text.ts'

const settings = {
  /** Limits count the characters of the text, not of the markup. */
  minLength: z.int().min(0).max(500_000).nullish(),
  maxLength: z.int().min(1).max(500_000).nullish(),
  /** Initial HTML of new documents. */
  defaultValue: storableText(20_000).nullish(),
}
const settingsSchema = z.object(settings)
export type RichTextSettings = z.infer<typeof settingsSchema>

const emptyDocument = /^(?:<p>(?:\s|&nbsp;|<br ?\/?>)*<\/p>\s*)+$/

/** Rich text is stored as sanitised HTML, which sites receive unchanged (docs/decisions/0006). */
export const richText = {
  type: 'RICH_TEXT' as const,
  settings,
  canBeMultiple: false,
  canBeUnique: false,
  canBeTitle: false,
  isHtml: true,
  comparison: () => 'text',
  searchable: true,
  empty: '',
  typeScript: () => 'string',
  parse(value) {
    const result = parseText(value)
    // Editors represent an empty document as an empty paragraph.
    const isEmpty = result.ok && result.value && result.value.length < 64 && emptyDocument.test(result.value)
    return isEmpty ? { ok: true, value: undefined } : result
  },
  rules: (value, settings, environment) => lengthIssues(() => htmlToText(value), settings, environment),
  text: htmlToText,
  assetIds: assetIdsIn,
  documentIds: documentIdsIn,
  renamed: renamedText,
  settingsIssues: lengthBoundsIssues,
  from: {
    TEXT: (item) => ({ item: textToHtml(String(item)) }),
    MARKDOWN: (item, { environment }) => ({ item: environment?.renderMarkdown(String(item)).trim() }),
  },
} satisfies FieldType<RichTextSettings, string>
