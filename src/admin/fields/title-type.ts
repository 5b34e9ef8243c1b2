import type { FieldTypeName } from '#shared/fields/index.ts'

/** The type of a new model's first field, which is its title. */
export const titleFieldType = 'TEXT' satisfies FieldTypeName
