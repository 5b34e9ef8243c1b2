import { IconMapPin } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { MapFieldInput } from './map-input.tsx'
import { MapPreview } from './map-preview.tsx'

export const map: AdminFieldType<'MAP'> = {
  icon: IconMapPin,
  input: MapFieldInput,
  heavy: true,
  settings: lazyPart(async () => (await import('./settings.tsx')).MapSettingsForm),
  preview: MapPreview,
  group: () => true,
  column: () => ({ width: 190, grows: false }),
  sortable: false,
  operators: () => ['filled', 'empty'],
  initial: ({ defaultValue }) => defaultValue,
}
