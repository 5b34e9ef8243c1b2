import type { FieldPreviewProps } from '../field-props.ts'

/** The first words of the text. */
export function RichTextPreview({ value }: FieldPreviewProps<'RICH_TEXT'>) {
  // A cell shows some words: no need to read the whole of a long text.
  return typeof value === 'string' ? htmlToPlain(value.slice(0, 1500)).slice(0, 200) : ''
}

/** The text of HTML, as a person would count it. Nothing of the HTML runs or loads: it is only parsed. */
export function htmlToPlain(html: string): string {
  if (!html) return ''
  const spaced = html.replace(/<\/(?:p|div|h[1-6]|li|tr|blockquote|pre)>|<br\s*\/?>/gi, '\n$&')
  return (new DOMParser().parseFromString(spaced, 'text/html').body.textContent ?? '').trim()
}
