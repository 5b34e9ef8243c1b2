import { IconBoxMultiple } from '@tabler/icons-react'
import type { AdminFieldType } from '../field-props.ts'
import { lazyPart } from '../lazy-part.ts'
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
