import type { ServerFieldType } from './field-type.ts'
import { type Around, isHtml, LongNumber, reason, type Taken, takeText } from './received.ts'

export const text: ServerFieldType<'TEXT'> = {
  usedFor: 'lookup',
  isIndexable: ({ inputType }) => inputType !== 'textarea',
  received: {
    kinds: { line: { inputType: 'inputText' }, lines: { inputType: 'textarea' }, text: {} },
    keepsAll: true,
    take(value, around) {
      if (typeof value !== 'string')
        return {
          ...told(value, around),
          notes: ['told', value instanceof LongNumber ? 'longNumber' : typeof value],
        }
      const notes = [
        ...(isHtml(value) ? ['html'] : []),
        ...(value.includes('\n') ? ['lines'] : []),
        ...(value.length > 150 ? ['long'] : []),
        ...(/^[\w-]{1,120}$/.test(value) ? ['word'] : []),
      ]
      return { ...takeText(value, around), notes }
    },
    likeness(seen) {
      const noted = (note: string) => seen.noted('TEXT', note)
      if (noted('longNumber') + noted('number') === seen.items && seen.noted('NUMBER', 'tooLarge') > 0)
        return { confidence: 0.5, why: reason('longNumbers') }
      if (noted('told') > 0) return { confidence: 0.1, why: reason('mixedKinds') }
      if (noted('html') > 0) return { confidence: 0.3, why: reason('htmlAsText') }
      if (/^slug$|Slug$/.test(seen.name) && noted('word') === seen.items)
        return { confidence: 0.98, why: reason('slugs') }
      return { confidence: 0.8, why: reason(isArea(seen) ? 'lines' : 'texts') }
    },
    settings: (seen) => {
      const [line, area] = [{ inputType: 'inputText' }, { inputType: 'textarea' }]
      return isArea(seen) ? [area, line] : [line, area]
    },
  },
}

const isArea: (seen: Parameters<NonNullable<ServerFieldType['received']['likeness']>>[0]) => boolean = (
  seen,
) => !seen.isList && seen.noted('TEXT', 'lines') + seen.noted('TEXT', 'long') > 0

/**
 * Converts a value that is not text. An asset becomes its URL, and a document its `_id`. Other values become text or
 * JSON.
 */
function told(value: unknown, around: Around): Taken {
  const { origin } = around
  const plain = origin.asset(value)?.address ?? origin.document(value)?.id ?? plainText(value)
  if (plain !== undefined) return { ...takeText(plain, around), difference: 'asText' }
  const json = JSON.stringify(value, (_key, inner) => (inner instanceof LongNumber ? inner.text : inner))
  return { ...takeText(json, around), difference: 'asJson' }
}

function plainText(value: unknown): string | undefined {
  if (value instanceof LongNumber) return value.text
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
