import { typeOf } from '#shared/fields/index.ts'
import type { ServerFieldType } from './field-type.ts'
import { isRecord, reason } from './received.ts'

/** Values are stored and delivered unchanged. Filters can only test whether a value exists. */
export const map: ServerFieldType<'MAP'> = {
  received: {
    kinds: { place: {} },
    take(value) {
      if (!isRecord(value)) return null
      const read = typeOf({ type: 'MAP' }).parse(value, {})
      return read.ok ? { input: read.value } : null
    },
    likeness: () => ({ confidence: 0.99, why: reason('places') }),
  },
}
