import { shorten } from '#shared/unicode.ts'
import type { FieldPreviewProps } from '../field-props.ts'
import { parsedHtmlToText } from '../html-text.ts'

/** Shows the beginning of the text. */
export function RichTextPreview({ value }: FieldPreviewProps<'RICH_TEXT'>) {
  // Only the start of a long text is parsed.
  return typeof value === 'string' ? shorten(parsedHtmlToText(value.slice(0, 1500)), 200) : ''
}
