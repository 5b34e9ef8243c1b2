import { IconMoodSmile } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { EmojiFieldInput } from './emoji-input.tsx'
import { EmojiPreview } from './emoji-preview.tsx'

export const emoji: AdminFieldType<'EMOJI'> = {
  icon: IconMoodSmile,
  input: EmojiFieldInput,
  settings: lazyPart(async () => (await import('./settings.tsx')).EmojiSettingsForm),
  preview: EmojiPreview,
  column: () => ({ width: 120, grows: false }),
  sortable: false,
  inCell: () => true,
  operators: () => ['eq', 'ne', 'filled', 'empty'],
  filter: lazyPart(async () => (await import('./emoji-filter.tsx')).EmojiFilter),
  initial: ({ defaultValue }) => defaultValue,
}
