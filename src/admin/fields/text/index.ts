import { IconCursorText } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { joinedText } from '../prose.ts'
import { TextFieldInput } from './text-input.tsx'
import { TextPreview } from './text-preview.tsx'

export const text: AdminFieldType<'TEXT'> = {
  icon: IconCursorText,
  input: TextFieldInput,
  settings: lazyPart(async () => (await import('./settings.tsx')).TextSettingsForm),
  preview: TextPreview,
  group: (field) => field.multiple,
  multiple: true,
  line: true,
  sortable: true,
  inCell: () => true,
  operators: () => ['match', 'eq', 'ne', 'filled', 'empty'],
  initial: ({ multiple, defaultValue }) => (multiple && defaultValue ? [defaultValue] : defaultValue),
  prose: joinedText,
}
