import { IconPaperclip } from '@tabler/icons-react'
import { assetParts } from '../asset/parts.tsx'
import type { AdminFieldType } from '../field-props.ts'
import { lazyPart } from '../lazy-part.ts'

export const file: AdminFieldType<'FILE'> = {
  ...assetParts,
  icon: IconPaperclip,
  settings: lazyPart(async () => (await import('./settings.tsx')).FileSettingsForm),
}
