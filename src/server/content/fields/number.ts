import type { ServerFieldType } from './field-type.ts'

export const number: ServerFieldType<'NUMBER'> = {
  isIndexable: () => true,
}
