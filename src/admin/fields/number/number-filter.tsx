import type { FieldFilterProps } from '../field-props.ts'
import { TypedFilter } from '../typed-filter.tsx'
import { readNumber } from './exact-number.ts'

/** A filter that compares with a number, in any notation that number fields accept. */
export function NumberFilter({ value, onChange }: FieldFilterProps<'NUMBER'>) {
  return <TypedFilter value={value} onChange={onChange} read={read} inputMode="decimal" />
}

function read(text: string): string | null {
  const result = readNumber(text)
  if (result.kind === 'bad') return null
  return result.kind === 'number' ? String(result.value) : ''
}
