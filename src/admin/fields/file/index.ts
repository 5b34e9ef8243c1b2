import { IconPaperclip } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { assetParts } from '../asset/parts.tsx'
import type { AdminFieldType } from '../field-props.ts'

export const file: AdminFieldType<'FILE'> = {
  ...assetParts,
  icon: IconPaperclip,
  settings: lazyPart(async () => (await import('./settings.tsx')).FileSettingsForm),
}
