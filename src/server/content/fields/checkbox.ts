import type { ServerFieldType } from './field-type.ts'
import { reason } from './received.ts'

/** Values are stored, delivered and compared unchanged. Two values are too few for an index. */
export const checkbox: ServerFieldType<'CHECKBOX'> = {
  received: {
    kinds: { boolean: {} },
    take: (value) => (typeof value === 'boolean' ? { input: value } : null),
    likeness: () => ({ confidence: 0.98, why: reason('trueOrFalse') }),
  },
}
