import { readEmoji } from '#shared/fields/emoji-code.ts'
import type { FieldFilterProps } from '../field-props.ts'
import { TypedFilter } from '../typed-filter.tsx'

/** A filter for an equal emoji, in any notation. */
export function EmojiFilter({ value, onChange }: FieldFilterProps<'EMOJI'>) {
  return (
    <TypedFilter value={value} onChange={onChange} read={(text) => (text === '' ? '' : readEmoji(text))} />
  )
}
