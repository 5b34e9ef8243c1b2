import type { AdminFieldType } from '../field-props.ts'
import { lazyPart } from '../lazy-part.ts'
import { NestedPreview } from './nested-preview.tsx'
import { comparedTexts } from './parts.ts'

/** What is the same of all types whose values are made of inner values: they are shown, and kept as they are. */
export const nested = {
  notOffered: true,
  input: lazyPart(async () => (await import('./nested-value.tsx')).NestedValue),
  heavy: true,
  settings: lazyPart(async () => (await import('./nested-settings.tsx')).NestedSettingsForm),
  group: () => true,
  multiple: true,
  prose: comparedTexts,
  preview: NestedPreview,
  column: () => ({ width: 120, grows: false }),
  sortable: false,
  operators: () => ['match', 'filled', 'empty'],
} satisfies Partial<AdminFieldType>
