import type { ServerFieldType } from './field-type.ts'

export const select: ServerFieldType<'SELECT'> = {
  isIndexable: () => true,
}
