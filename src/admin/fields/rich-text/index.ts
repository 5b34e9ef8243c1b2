import { IconFileText } from '@tabler/icons-react'
import { loadScript } from '#admin/base/reload-guard.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { parsedHtmlToText } from '../html-text.ts'
import { RichTextInput } from './rich-text-input.tsx'
import { RichTextPreview } from './rich-text-preview.tsx'

export const richText: AdminFieldType<'RICH_TEXT'> = {
  icon: IconFileText,
  input: RichTextInput,
  heavy: true,
  settings: lazyPart(async () => (await import('./settings.tsx')).RichTextSettingsForm),
  preview: RichTextPreview,
  group: () => true,
  initial: (field) => field.defaultValue ?? undefined,
  sortable: false,
  operators: () => ['match', 'filled', 'empty'],
  prose: compared,
  findDrafts: async (...given) =>
    (await loadScript(() => import('./find-drafts.ts'))).findLinkedDrafts(...given),
}

/**
 * Returns the plain texts for a diff. If only the formatting differs, returns the HTML, because the plain texts would
 * be equal.
 */
function compared(value: unknown, other: unknown): [string, string] {
  const [html, otherHtml] = [value, other].map((one) => (typeof one === 'string' ? one : '')) as [
    string,
    string,
  ]
  const [text, otherText] = [parsedHtmlToText(html), parsedHtmlToText(otherHtml)]
  return text === otherText ? [html, otherHtml] : [text, otherText]
}
