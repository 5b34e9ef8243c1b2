import type { CustomType } from '#shared/contract/custom-types.ts'
import type { FieldInputProps, LookOf } from '../field-props.ts'

/** Values that all parts of a nested input share. */
export interface NestedContext extends Pick<FieldInputProps, 'onBlur' | 'readOnly' | 'place'> {
  lookOf: LookOf
  customTypes: readonly CustomType[]
}
