import { z } from 'zod'
import { assetIdsIn } from '../asset-address.ts'
import { documentIdsIn } from '../document-links.ts'
import { type FieldType, storableText } from './field-type.ts'
import { renamedText } from './renamed.ts'
import { lengthBoundsIssues, lengthIssues, parseText } from './text.ts'

const settings = {
  minLength: z.int().min(0).max(500_000).nullish(),
  maxLength: z.int().min(1).max(500_000).nullish(),
  defaultValue: storableText(20_000).nullish(),
}
const settingsSchema = z.object(settings)
export type MarkdownSettings = z.infer<typeof settingsSchema>

/**
 * Markdown is stored as its source. The delivery API renders it to sanitised HTML, or returns the source for
 * `fmt=text`.
 */
export const markdown = {
  type: 'MARKDOWN' as const,
  settings,
  canBeMultiple: false,
  canBeUnique: false,
  canBeTitle: false,
  comparison: () => 'text',
  searchable: true,
  empty: '',
  typeScript: () => 'string',
  parse: parseText,
  rules: (value, settings, environment) => lengthIssues(() => value, settings, environment),
  text: (value) => value,
  assetIds: assetIdsIn,
  documentIds: documentIdsIn,
  renamed: renamedText,
  settingsIssues: lengthBoundsIssues,
  from: { TEXT: (item) => ({ item }), RICH_TEXT: (item) => ({ item }) }, // Markdown may contain HTML
} satisfies FieldType<MarkdownSettings, string>
