import { typeOf } from '#shared/fields/index.ts'
import type { ServerFieldType } from './field-type.ts'
import { reason, type SeenValues } from './received.ts'

export const date: ServerFieldType<'DATE'> = {
  usedFor: 'order',
  isIndexable: () => true,
  received: {
    kinds: { moment: {} },
    take(value) {
      // A date without a time stays a text, because a `DATE` field would deliver a timestamp.
      if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return null
      const read = typeOf({ type: 'DATE' }).parse(value, { inputType: 'datetime' })
      if (!read.ok || typeof read.value !== 'string') return null
      const notes = [
        ...(read.value.endsWith('T00:00:00.000Z') ? ['midnight'] : []),
        ...(read.value.startsWith('1970-01-01T') ? ['firstDay'] : []),
      ]
      return { input: read.value, difference: read.value === value ? undefined : 'normalized', notes }
    },
    likeness(seen) {
      const inputType = inputTypeOf(seen)
      const why = { datetime: 'moments', date: 'days', time: 'timesOfDay' }[inputType]
      // If there are few values, all may be midnight by chance.
      return { confidence: inputType === 'datetime' || seen.items >= 3 ? 0.97 : 0.9, why: reason(why) }
    },
    settings: (seen) => [...new Set([inputTypeOf(seen), 'datetime'])].map((inputType) => ({ inputType })),
  },
}

function inputTypeOf(seen: SeenValues): 'datetime' | 'date' | 'time' {
  const all = (note: string) => seen.noted('DATE', note) === seen.items
  if (all('midnight') && !(all('firstDay') && seen.items > 1)) return 'date'
  return all('firstDay') ? 'time' : 'datetime'
}
