import { IconBoxMultiple } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { AdminFieldType } from '../field-props.ts'
import { nested } from '../nested/index.ts'

export const custom: AdminFieldType<'CUSTOM'> = {
  ...nested,
  icon: IconBoxMultiple,
  settings: lazyPart(async () => (await import('./settings.tsx')).CustomSettingsForm),
  inner: ({ customType }, customTypes) => ({
    fields: customTypes.find(({ uid }) => uid === customType)?.fields ?? [],
    isOneOf: false,
  }),
  needed: ({ customType }) => (customType === '' ? ['customType'] : []),
}
