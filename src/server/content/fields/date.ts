import type { ServerFieldType } from './field-type.ts'

export const date: ServerFieldType<'DATE'> = {
  usedFor: 'order',
  isIndexable: () => true,
}
