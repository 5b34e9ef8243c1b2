import { isStorableText } from '#shared/fields/field-type.ts'
import type { ServerFieldType } from './field-type.ts'
import { isHtml, reason } from './received.ts'

/** Matches typical names of free-text fields. */
const freeText =
  /(?:title|name|heading|label|text|description|caption|slug|url|link|address|phone|tel|mail|time|hours|price|place|venue|alt|message|note|summary|excerpt|body|question|answer|author|profile)$/i

export const select: ServerFieldType<'SELECT'> = {
  isIndexable: () => true,
  received: {
    kinds: { choice: {} },
    take(value) {
      if (typeof value === 'number')
        return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? { input: value, notes: ['number'] } : null
      const isOption =
        typeof value === 'string' &&
        value.length <= 100 &&
        !/\n|^https?:/.test(value) &&
        isStorableText(value)
      return isOption && !isHtml(value) ? { input: value, notes: ['text'] } : null
    },
    likeness(seen) {
      const { distinct, items } = seen
      const numbers = seen.noted('SELECT', 'number')
      if (!distinct || (numbers > 0 && numbers < items)) return null
      const options = distinct.size
      const why = reason('fewValues', { options, count: items })
      // Chosen options repeat often, and numbers are usually not options.
      if (numbers > 0 || options > 40) return { confidence: 0.1, why }
      const repeats = items / options
      const isFree = freeText.test(seen.name)
      if (items < 6 || repeats < 2) return { confidence: 0.1, why }
      const likely = repeats >= 3 && options > 1 ? 0.9 : 0.7
      return { confidence: isFree ? likely - 0.4 : seen.isList ? likely : options > 20 ? 0.5 : likely, why }
    },
    settings: (seen) => [
      {
        valueType: seen.noted('SELECT', 'number') > 0 ? 'number' : 'text',
        options: [...(seen.distinct?.keys() ?? [])].map((value) => ({ value, label: '' })),
      },
    ],
  },
}
