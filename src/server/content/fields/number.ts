import type { ServerFieldType } from './field-type.ts'
import { LongNumber, reason, type Taken } from './received.ts'

export const number: ServerFieldType<'NUMBER'> = {
  isIndexable: () => true,
  received: {
    kinds: { number: {} },
    take(value) {
      if (value instanceof LongNumber) return tooLarge(value.text)
      if (typeof value !== 'number') return null
      if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return tooLarge(String(value))
      return { input: value, notes: Number.isInteger(value) ? ['whole'] : [] }
    },
    likeness: (seen) =>
      seen.noted('NUMBER', 'tooLarge') > 0
        ? { confidence: 0.3, why: reason('numbersTooLarge', { count: seen.noted('NUMBER', 'tooLarge') }) }
        : {
            confidence: 0.97,
            why: reason(seen.noted('NUMBER', 'whole') === seen.items ? 'wholeNumbers' : 'numbers'),
          },
  },
}

/** Not exactly representable as a number here: the value is left out. */
const tooLarge = (written: string): Taken => ({
  input: null,
  difference: 'leftOut',
  notes: ['tooLarge', `tooLarge:${written}`],
})
