import { readEmoji } from '#shared/fields/emoji-code.ts'
import type { ServerFieldType } from './field-type.ts'

/** Equal or not, however they are typed; sites are told that it is one, as of the icons of apps. */
export const emoji: ServerFieldType<'EMOJI'> = {
  isUnordered: true,
  readOperand: readEmoji,
  isIndexable: () => true,
  sent: (json) => `{"type":"emoji","value":${json}}`,
}
