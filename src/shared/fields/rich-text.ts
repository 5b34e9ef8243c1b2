import { z } from 'zod'
import { countCharacters, type FieldType } from './field-type.ts'
import { htmlToText } from './html-text.ts'
import { lengthIssues, parseText } from './text.ts'

const settings = {
  /** Limits count the characters of the text, not of the markup. */
  minLength: z.int().min(0).max(500_000).nullish(),
  maxLength: z.int().min(1).max(500_000).nullish(),
}
const settingsSchema = z.object(settings)
export type RichTextSettings = z.infer<typeof settingsSchema>

/** Rich text is kept as sanitised HTML, which is what sites receive (docs/decisions/0006). */
export const richText = {
  type: 'RICH_TEXT',
  settings,
  canBeMultiple: false,
  canBeUnique: false,
  canBeTitle: false,
  comparison: 'text',
  searchable: true,
  empty: '',
  parse(value) {
    const result = parseText(value)
    // An editor's empty document is an empty paragraph; nothing was written in it.
    if (
      result.ok &&
      result.value &&
      countCharacters(result.value) < 64 &&
      /^(?:<p>\s*<\/p>\s*)+$/.test(result.value)
    )
      return { ok: true, value: undefined }
    return result
  },
  rules: (value, settings) => lengthIssues(htmlToText(value), settings),
  text: htmlToText,
} satisfies FieldType<RichTextSettings, string>
