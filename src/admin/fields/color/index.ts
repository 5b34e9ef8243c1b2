import { IconPalette } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { ColorFieldInput } from './color-input.tsx'
import { ColorPreview } from './color-preview.tsx'

export const color: AdminFieldType<'COLOR'> = {
  icon: IconPalette,
  input: ColorFieldInput,
  settings: lazyPart(async () => (await import('./settings.tsx')).ColorSettingsForm),
  preview: ColorPreview,
  column: () => ({ width: 150, grows: false }),
  sortable: false,
  inCell: () => true,
  operators: () => ['eq', 'ne', 'filled', 'empty'],
  filter: lazyPart(async () => (await import('./color-filter.tsx')).ColorFilter),
  initial: ({ defaultValue }) => defaultValue,
}
