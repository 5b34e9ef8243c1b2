import { expect, it } from 'vitest'
import { fieldTypeNames, typeOf } from '#shared/fields/index.ts'
import { adminFieldType, paletteTypes } from './index.ts'

it('the palette contains every field type, and `multiple` of each type agrees with the shared descriptor', () => {
  expect([...paletteTypes].sort()).toEqual([...fieldTypeNames].sort())
  for (const type of fieldTypeNames)
    expect([type, adminFieldType({ type }).multiple === true]).toEqual([type, typeOf({ type }).canBeMultiple])
})
