import { IconCode } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { joinedText } from '../prose.ts'
import { EmbedFieldInput } from './embed-input.tsx'
import { EmbedPreview } from './embed-preview.tsx'

export const embed: AdminFieldType<'EMBED'> = {
  icon: IconCode,
  input: EmbedFieldInput,
  settings: lazyPart(async () => (await import('./settings.tsx')).EmbedSettingsForm),
  preview: EmbedPreview,
  sortable: false,
  operators: () => ['match', 'filled', 'empty'],
  prose: joinedText,
}
