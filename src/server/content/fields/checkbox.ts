import type { ServerFieldType } from './field-type.ts'

/** Kept, answered and compared as it is; two values are too few for an index. */
export const checkbox: ServerFieldType<'CHECKBOX'> = {}
