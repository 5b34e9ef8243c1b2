import { IconLayoutList } from '@tabler/icons-react'
import type { Field } from '#shared/fields/index.ts'
import type { AdminFieldType } from '../field-props.ts'
import { nested } from '../nested/index.ts'
import { itemsOf, partsOf, type ShownItem } from '../nested/parts.ts'

/** An inner field has a type with its settings, and no name. */
const noName = { _id: '', uid: 'data', name: '' }

export const multiType: AdminFieldType<'MULTI_TYPE'> = {
  ...nested,
  icon: IconLayoutList,
  items: ({ types }, value, customTypes) =>
    itemsOf(value).map(({ type, data }): ShownItem => {
      const allowed = types.find((candidate) => candidate.type === type)
      if (allowed) {
        const field = { ...noName, ...allowed } as unknown as Field
        return { type: { type: field.type }, parts: data === undefined ? [] : [{ field, value: data }] }
      }
      const [item = {}] = itemsOf(data)
      return { type: { customType: String(type) }, parts: partsOf(String(type), item, customTypes) }
    }),
}
