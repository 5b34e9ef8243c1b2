import type { ServerFieldType } from './field-type.ts'

export const date: ServerFieldType<'DATE'> = {
  isIndexable: () => true,
}
