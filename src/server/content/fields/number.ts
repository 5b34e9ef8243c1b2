import type { ServerFieldType } from './field-type.ts'
import { reason } from './received.ts'

export const number: ServerFieldType<'NUMBER'> = {
  isIndexable: () => true,
  received: {
    kinds: { number: {} },
    take: (value) =>
      typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
        ? { input: value, notes: Number.isInteger(value) ? ['whole'] : [] }
        : null,
    likeness: (seen) => ({
      confidence: 0.97,
      why: reason(seen.noted('NUMBER', 'whole') === seen.items ? 'wholeNumbers' : 'numbers'),
    }),
  },
}
