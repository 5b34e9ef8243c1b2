import { readEmoji } from '#shared/fields/emoji-code.ts'
import type { FieldFilterProps } from '../field-props.ts'
import { TypedFilter } from '../typed-filter.tsx'

/** A filter for an equal emoji, however it is typed. */
export function EmojiFilter({ value, onChange }: FieldFilterProps<'EMOJI'>) {
  return (
    <TypedFilter value={value} onChange={onChange} read={(text) => (text === '' ? '' : readEmoji(text))} />
  )
}
