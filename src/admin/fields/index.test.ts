import { expect, it } from 'vitest'
import { fieldTypeNames, typeOf } from '#shared/fields/index.ts'
import { adminFieldType, paletteTypes } from './index.ts'

it('knows of every type whether it holds several values, as its descriptor does', () => {
  expect([...paletteTypes].sort()).toEqual([...fieldTypeNames].sort())
  for (const type of fieldTypeNames)
    expect([type, adminFieldType({ type }).multiple === true]).toEqual([type, typeOf({ type }).canBeMultiple])
})
