import type { FieldTypeName } from '#shared/fields/index.ts'

/** What the first field of a new model is, its title. */
export const titleFieldType = 'TEXT' satisfies FieldTypeName
