import { adminFieldType } from '#admin/fields/index.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import classes from './field-types.module.css'

/** The icon of a field type in a tile. Decorative, because the name is next to it. */
export function FieldTypeIcon({ type }: { type: FieldTypeName }) {
  const TypeIcon = adminFieldType({ type }).icon
  return (
    <span className={classes.tile} aria-hidden="true">
      <TypeIcon size={18} stroke={1.7} />
    </span>
  )
}
