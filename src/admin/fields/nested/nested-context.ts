import type { CustomType } from '#shared/contract/custom-types.ts'
import type { FieldInputProps, LookOf } from '../field-props.ts'

/** What all parts of the input of a value that is made of inner values need of their surroundings. */
export interface NestedContext extends Pick<FieldInputProps, 'onBlur' | 'readOnly' | 'place'> {
  lookOf: LookOf
  customTypes: readonly CustomType[]
}
