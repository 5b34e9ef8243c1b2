import { z } from 'zod'
import { readEmoji } from './emoji-code.ts'
import { type FieldType, parsed, refused, storableText } from './field-type.ts'

const settings = { defaultValue: storableText(64).nullish() }
const settingsSchema = z.object(settings)
export type EmojiSettings = z.infer<typeof settingsSchema>

/** The value as sites receive it. Also accepted as input. */
const sentSchema = z.strictObject({ type: z.literal('emoji'), value: z.string() })

export const emoji = {
  type: 'EMOJI' as const,
  settings,
  canBeMultiple: false,
  canBeUnique: false,
  canBeTitle: false,
  comparison: () => 'text',
  searchable: false,
  empty: null,
  typeScript: () => "{ type: 'emoji'; value: string }",
  parse(value) {
    const sent = sentSchema.safeParse(value)
    const text = sent.success ? sent.data.value : value
    if (text == null || text === '') return parsed<string>(undefined)
    if (typeof text !== 'string') return refused()
    const read = readEmoji(text)
    return read === null ? refused('InvalidFormat') : parsed(read)
  },
  rules: () => [],
  text: (value) => value,
  settingsIssues: ({ defaultValue }) =>
    defaultValue && readEmoji(defaultValue) !== defaultValue
      ? [{ path: 'defaultValue', code: 'InvalidFormat' }]
      : [],
  from: { TEXT: (item) => ({ item }), SELECT: (item) => ({ item }) },
  into: { TEXT: (item) => ({ item }) },
} satisfies FieldType<EmojiSettings, string>
