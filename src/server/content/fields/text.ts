import type { ServerFieldType } from './field-type.ts'

export const text: ServerFieldType<'TEXT'> = {
  usedFor: 'lookup',
  isIndexable: ({ inputType }) => inputType !== 'textarea',
}
