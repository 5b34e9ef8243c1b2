import { readColor } from '#shared/fields/color-code.ts'
import type { ServerFieldType } from './field-type.ts'

/** Colours are equal or not, however they are written; none comes before another. */
export const color: ServerFieldType<'COLOR'> = {
  isUnordered: true,
  readOperand: readColor,
  isIndexable: () => true,
}
