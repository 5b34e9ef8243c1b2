import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { comparedTexts } from './compared-texts.ts'
import { NestedPreview } from './nested-preview.tsx'

/** The parts of the admin side that all field types with inner values share. */
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
