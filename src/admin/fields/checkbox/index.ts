import { IconCheckbox } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { CheckboxFieldInput } from './checkbox-input.tsx'
import { CheckboxPreview } from './checkbox-preview.tsx'

export const checkbox: AdminFieldType<'CHECKBOX'> = {
  icon: IconCheckbox,
  input: CheckboxFieldInput,
  settings: lazyPart(async () => (await import('./settings.tsx')).CheckboxSettingsForm),
  requiredHint: 'requiredCheckbox',
  preview: CheckboxPreview,
  column: () => ({ width: 110, grows: false }),
  labelInside: true,
  sortable: true,
  inCell: () => true,
  operators: () => ['eq'],
  filter: lazyPart(async () => (await import('./checkbox-filter.tsx')).CheckboxFilter),
  initial: ({ defaultValue }) => defaultValue,
}
