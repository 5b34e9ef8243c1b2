import type { FieldPreviewProps } from '../field-props.ts'

/** The emoji, as large as text around it allows. */
export function EmojiPreview({ value }: FieldPreviewProps<'EMOJI'>) {
  return typeof value === 'string' ? <span style={{ fontSize: '1.25em' }}>{value.slice(0, 64)}</span> : null
}
