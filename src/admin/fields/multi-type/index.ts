import { IconLayoutList } from '@tabler/icons-react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { Field } from '#shared/fields/index.ts'
import type { AdminFieldType } from '../field-props.ts'
import { nested } from '../nested/index.ts'

/** Returns the field for the data of a block of this type. The field has no name. */
const dataOf = (type: object): Field =>
  ({
    _id: '',
    uid: 'data',
    name: '',
    description: '',
    required: false,
    multiple: false,
    unique: false,
    ...type,
  }) as unknown as Field

export const multiType: AdminFieldType<'MULTI_TYPE'> = {
  ...nested,
  icon: IconLayoutList,
  settings: lazyPart(async () => (await import('./settings.tsx')).MultiTypeSettingsForm),
  inner: ({ types }) => ({ fields: types.map(dataOf), isOneOf: true }),
  needed: ({ types }) => (types.length === 0 ? ['types'] : []),
}
