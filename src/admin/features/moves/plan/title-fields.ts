import type { PlannedField } from '#shared/contract/move-plans.ts'
import { type FieldTypeName, typeOf } from '#shared/fields/index.ts'

/** Returns whether this field can be the title of its model. */
export const canBeTitle = ({ field }: PlannedField): boolean =>
  field.multiple !== true && typeOf({ type: field.type as FieldTypeName }).canBeTitle
