import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { comparedTexts } from './compared-texts.ts'
import { NestedPreview } from './nested-preview.tsx'

/** What all field types share whose values contain other values. */
export const nested = {
  input: lazyPart(async () => (await import('./nested-input.tsx')).NestedInput),
  group: () => true,
  showsInner: true,
  multiple: true,
  prose: comparedTexts,
  preview: NestedPreview,
  column: () => ({ width: 120, grows: false }),
  sortable: false,
  operators: () => ['match', 'filled', 'empty'],
} satisfies Partial<AdminFieldType>
