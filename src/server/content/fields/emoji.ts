import { readEmoji } from '#shared/fields/emoji-code.ts'
import type { ServerFieldType } from './field-type.ts'
import { isRecord, reason } from './received.ts'

/**
 * Emoji are compared regardless of input variants. They are delivered as an object with a type, like the icons of apps.
 */
export const emoji: ServerFieldType<'EMOJI'> = {
  isUnordered: true,
  readOperand: readEmoji,
  isIndexable: () => true,
  sent: (json) => `{"type":"emoji","value":${json}}`,
  received: {
    take(value) {
      if (!isRecord(value) || value.type !== 'emoji' || typeof value.value !== 'string') return null
      const input = Object.keys(value).length === 2 ? readEmoji(value.value) : null
      return input === null ? null : { input, difference: input === value.value ? undefined : 'normalized' }
    },
    likeness: () => ({ confidence: 0.99, why: reason('emoji') }),
  },
}
