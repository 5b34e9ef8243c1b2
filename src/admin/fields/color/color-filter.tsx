import { readColor } from '#shared/fields/color-code.ts'
import type { FieldFilterProps } from '../field-props.ts'
import { TypedFilter } from '../typed-filter.tsx'

/** A filter for an equal colour, in any notation. */
export function ColorFilter({ value, onChange }: FieldFilterProps<'COLOR'>) {
  return (
    <TypedFilter value={value} onChange={onChange} read={(text) => (text === '' ? '' : readColor(text))} />
  )
}
