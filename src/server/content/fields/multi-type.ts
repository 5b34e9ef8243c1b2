import type { ServerFieldType } from './field-type.ts'

/** Everything that is to be said of a value is said of its inner values. */
export const multiType: ServerFieldType<'MULTI_TYPE'> = {}
