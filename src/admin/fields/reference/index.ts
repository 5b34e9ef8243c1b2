import { IconLink } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { findDrafts } from './find-drafts.ts'
import { ReferenceInput } from './reference-input.tsx'
import { ReferencePreview } from './reference-preview.tsx'
import { targetUids } from './target-uids.ts'

export const reference: AdminFieldType<'REFERENCE'> = {
  icon: IconLink,
  input: ReferenceInput,
  settings: lazyPart(async () => (await import('./settings.tsx')).ReferenceSettingsForm),
  needed: ({ modelUid }) => (modelUid === '' ? ['modelUid'] : []),
  preview: ReferencePreview,
  group: () => true,
  multiple: true,
  sortable: false,
  operators: () => ['eq', 'ne', 'filled', 'empty'],
  filter: lazyPart(async () => (await import('./reference-filter.tsx')).ReferenceFilter),
  targets: targetUids,
  findDrafts,
}
