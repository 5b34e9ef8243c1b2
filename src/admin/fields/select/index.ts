import { IconListCheck } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { SelectFieldInput } from './select-input.tsx'
import { SelectPreview } from './select-preview.tsx'

export const select: AdminFieldType<'SELECT'> = {
  icon: IconListCheck,
  input: SelectFieldInput,
  settings: lazyPart(async () => (await import('./settings.tsx')).SelectSettingsForm),
  choices: ({ options }) => options.map(({ value, label }) => ({ value, label: label || String(value) })),
  needed: ({ options }) => (options.length === 0 ? ['options'] : []),
  preview: SelectPreview,
  group: (field) => field.inputType !== 'none',
  multiple: true,
  sortable: true,
  initial: ({ multiple, defaultValue }) => (multiple && defaultValue != null ? [defaultValue] : defaultValue),
  inCell: () => true,
  operators: () => ['eq', 'ne', 'filled', 'empty'],
  filter: lazyPart(async () => (await import('./select-filter.tsx')).SelectFilter),
}
