import { IconCode } from '@tabler/icons-react'
import type { AdminFieldType } from '../field-props.ts'
import { lazyPart } from '../lazy-part.ts'
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
