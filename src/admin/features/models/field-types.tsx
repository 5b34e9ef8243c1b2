import {
  type Icon,
  IconCalendar,
  IconCheckbox,
  IconCursorText,
  IconFileText,
  IconLink,
  IconListCheck,
  IconMarkdown,
  IconNumbers,
} from '@tabler/icons-react'
import type { FieldTypeName } from '#shared/fields/index.ts'
import classes from './field-types.module.css'

const icons: Record<FieldTypeName, Icon> = {
  TEXT: IconCursorText,
  RICH_TEXT: IconFileText,
  MARKDOWN: IconMarkdown,
  NUMBER: IconNumbers,
  DATE: IconCalendar,
  CHECKBOX: IconCheckbox,
  SELECT: IconListCheck,
  REFERENCE: IconLink,
}

/** The types in the order people need them. */
export const paletteTypes: readonly FieldTypeName[] = [
  'TEXT',
  'RICH_TEXT',
  'MARKDOWN',
  'NUMBER',
  'DATE',
  'CHECKBOX',
  'SELECT',
  'REFERENCE',
]

/** The picture of a type of field, in its tile. Its name stands beside it. */
export function FieldTypeIcon({ type }: { type: FieldTypeName }) {
  const TypeIcon = icons[type]
  return (
    <span className={classes.tile} aria-hidden="true">
      <TypeIcon size={18} stroke={1.7} />
    </span>
  )
}
