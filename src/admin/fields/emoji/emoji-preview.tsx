import type { FieldPreviewProps } from '../field-props.ts'

/** The emoji, slightly larger than the surrounding text. */
export function EmojiPreview({ value }: FieldPreviewProps<'EMOJI'>) {
  return typeof value === 'string' ? <span style={{ fontSize: '1.25em' }}>{value.slice(0, 64)}</span> : null
}
