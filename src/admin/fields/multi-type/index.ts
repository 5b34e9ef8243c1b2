import { IconLayoutList } from '@tabler/icons-react'
import type { AdminFieldType } from '../field-props.ts'
import { lazyPart } from '../lazy-part.ts'
import { nested } from '../nested/index.ts'

export const multiType: AdminFieldType<'MULTI_TYPE'> = {
  ...nested,
  icon: IconLayoutList,
  settings: lazyPart(async () => (await import('./settings.tsx')).MultiTypeSettingsForm),
  needed: ({ types }) => (types.length === 0 ? ['types'] : []),
}
