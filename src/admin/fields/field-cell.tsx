import type { ReactNode } from 'react'
import type { Field } from '#shared/fields/index.ts'
import grid from './field-grid.module.css'
import type { LookOf } from './field-props.ts'

/** The grid cell of one field in the form of a document or item. */
export function FieldCell({
  field,
  lookOf,
  children,
}: {
  field: Field
  lookOf: LookOf
  children: ReactNode
}) {
  const isPlain = lookOf(field).inCell?.(field)
  return (
    <div className={grid.cell} data-width={field.width ?? 'full'} data-plain={isPlain || undefined}>
      {children}
    </div>
  )
}
