import type { ServerFieldType } from './field-type.ts'

/** Kept and answered as it is; a filter asks whether there is one. */
export const map: ServerFieldType<'MAP'> = {}
