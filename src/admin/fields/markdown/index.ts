import { IconMarkdown } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { joinedText } from '../prose.ts'
import { TextPreview } from '../text/text-preview.tsx'
import { MarkdownInput } from './markdown-input.tsx'

export const markdown: AdminFieldType<'MARKDOWN'> = {
  icon: IconMarkdown,
  input: MarkdownInput,
  heavy: true,
  settings: lazyPart(async () => (await import('./settings.tsx')).MarkdownSettingsForm),
  preview: TextPreview,
  group: () => true,
  initial: (field) => field.defaultValue ?? undefined,
  sortable: false,
  operators: () => ['match', 'filled', 'empty'],
  prose: joinedText,
}
