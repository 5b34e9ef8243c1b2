import type { ServerFieldType } from './field-type.ts'

export const reference: ServerFieldType<'REFERENCE'> = {
  usedFor: 'grouping',
  isIndexable: () => true,
}
