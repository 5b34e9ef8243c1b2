import { IconBoxMultiple } from '@tabler/icons-react'
import type { AdminFieldType } from '../field-props.ts'
import { lazyPart } from '../lazy-part.ts'
import { nested } from '../nested/index.ts'

export const custom: AdminFieldType<'CUSTOM'> = {
  ...nested,
  icon: IconBoxMultiple,
  settings: lazyPart(async () => (await import('./settings.tsx')).CustomSettingsForm),
  needed: ({ customType }) => (customType === '' ? ['customType'] : []),
}
