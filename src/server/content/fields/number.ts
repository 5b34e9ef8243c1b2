import { isExactNumber } from '#server/lib/exact-number.ts'
import type { ServerFieldType } from './field-type.ts'
import { LongNumber, reason, type Taken } from './received.ts'

/**
 * Maximum share of values that are too large for a number field. Above it, numbers are no longer the likely type. Among
 * at least four values, one may always be too large.
 */
const maxShareLeftOut = 0.05

export const number: ServerFieldType<'NUMBER'> = {
  isIndexable: () => true,
  received: {
    kinds: { number: {} },
    take(value) {
      if (value instanceof LongNumber) return takeLong(value.text)
      if (typeof value !== 'number') return null
      if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return tooLarge(String(value))
      return { input: value, notes: Number.isInteger(value) ? ['whole'] : [] }
    },
    likeness(seen) {
      const large = seen.noted('NUMBER', 'tooLarge')
      if (large === 0) {
        const isWhole = seen.noted('NUMBER', 'whole') === seen.items
        return { confidence: 0.97, why: reason(isWhole ? 'wholeNumbers' : 'numbers') }
      }
      const isFew = seen.items >= 4 && large <= Math.max(1, maxShareLeftOut * seen.items)
      // Sites can calculate with numbers but not with texts, so numbers are preferred if few values are left out.
      return { confidence: isFew ? 0.6 : 0.3, why: reason('numbersTooLarge') }
    },
  },
}

/** Converts a number to the double that sites read from the same JSON. */
function takeLong(written: string): Taken {
  const nearest = Number(written)
  if (Math.abs(nearest) > Number.MAX_SAFE_INTEGER) return tooLarge(written)
  if (!isExactNumber(written)) return { input: nearest, difference: 'normalized' }
  return { input: nearest, notes: Number.isInteger(nearest) ? ['whole'] : [] }
}

/** Returns the result for a number beyond the exact integers: the value is left out. */
const tooLarge = (written: string): Taken => ({
  input: null,
  difference: 'leftOut',
  notes: ['tooLarge', `tooLarge:${written}`],
})
