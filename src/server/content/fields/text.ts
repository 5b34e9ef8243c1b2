import type { ServerFieldType } from './field-type.ts'

export const text: ServerFieldType<'TEXT'> = {
  isIndexable: ({ inputType }) => inputType !== 'textarea',
}
