import { isTranslucent, readColor } from '#shared/fields/color-code.ts'
import type { ServerFieldType } from './field-type.ts'
import { reason } from './received.ts'

/** Colours are compared regardless of their notation. */
export const color: ServerFieldType<'COLOR'> = {
  isUnordered: true,
  readOperand: readColor,
  isIndexable: () => true,
  received: {
    kinds: { color: {} },
    take(value) {
      if (typeof value !== 'string' || !/^#(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value)) return null
      const input = readColor(value)
      if (input === null) return null
      return {
        input,
        difference: input === value ? undefined : 'normalized',
        notes: isTranslucent(input) ? ['translucent'] : [],
      }
    },
    likeness: () => ({ confidence: 0.97, why: reason('colors') }),
    settings: (seen) => [{ alpha: seen.noted('COLOR', 'translucent') > 0 }],
  },
}
