import type { FieldPreviewProps } from '../field-props.ts'
import { writeNumber } from './exact-number.ts'

/** The number in tabular figures. */
export function NumberPreview({ value }: FieldPreviewProps<'NUMBER'>) {
  return typeof value === 'number' ? (
    <span style={{ fontVariantNumeric: 'tabular-nums' }}>{writeNumber(value)}</span>
  ) : null
}
