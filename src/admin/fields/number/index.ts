import { IconNumbers } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { NumberFieldInput } from './number-input.tsx'
import { NumberPreview } from './number-preview.tsx'

export const number: AdminFieldType<'NUMBER'> = {
  icon: IconNumbers,
  input: NumberFieldInput,
  settings: lazyPart(async () => (await import('./settings.tsx')).NumberSettingsForm),
  preview: NumberPreview,
  column: () => ({ width: 150, grows: false }),
  sortable: true,
  inCell: () => true,
  operators: () => ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'filled', 'empty'],
  filter: lazyPart(async () => (await import('./number-filter.tsx')).NumberFilter),
  initial: ({ defaultValue }) => defaultValue,
}
