import { IconBoxMultiple } from '@tabler/icons-react'
import type { AdminFieldType } from '../field-props.ts'
import { nested } from '../nested/index.ts'
import { itemsOf, partsOf } from '../nested/parts.ts'

export const custom: AdminFieldType<'CUSTOM'> = {
  ...nested,
  icon: IconBoxMultiple,
  items: ({ customType }, value, customTypes) =>
    itemsOf(value).map((item) => ({ type: null, parts: partsOf(customType, item, customTypes) })),
}
