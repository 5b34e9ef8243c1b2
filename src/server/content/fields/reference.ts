import type { ServerFieldType } from './field-type.ts'

export const reference: ServerFieldType<'REFERENCE'> = {
  isIndexable: () => true,
}
