import type { FieldPreviewProps } from '../field-props.ts'

/** The first words of the text. */
export function RichTextPreview({ value }: FieldPreviewProps<'RICH_TEXT'>) {
  // A cell shows few words, so only the start of a long text is parsed.
  return typeof value === 'string' ? htmlToPlain(value.slice(0, 1500)).slice(0, 200) : ''
}

/** The plain text of HTML. The HTML is only parsed: nothing in it runs or loads. */
export function htmlToPlain(html: string): string {
  if (!html) return ''
  const spaced = html.replace(/<\/(?:p|div|h[1-6]|li|tr|blockquote|pre)>|<br\s*\/?>/gi, '\n$&')
  return (new DOMParser().parseFromString(spaced, 'text/html').body.textContent ?? '').trim()
}
