import { IconPhoto } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { idsIn } from '../asset/asset-props.ts'
import { assetParts } from '../asset/parts.tsx'
import type { AdminFieldType } from '../field-props.ts'

export const image: AdminFieldType<'IMAGE'> = {
  ...assetParts,
  icon: IconPhoto,
  settings: lazyPart(async () => (await import('./settings.tsx')).ImageSettingsForm),
  cover: (_field, value) => idsIn(value)[0],
  column: () => ({ width: 130, grows: false }),
}
