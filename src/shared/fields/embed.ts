import { z } from 'zod'
import { type FieldType, isStorableText, parsed, refused } from './field-type.ts'
import { htmlToText } from './html-text.ts'

/** Characters of one code. Those of services have up to some 7,000. */
export const maximumEmbedCode = 16_384

const settings = {}
const settingsSchema = z.object(settings)
export type EmbedSettings = z.infer<typeof settingsSchema>

/**
 * What another service is shown by: its embed code, kept as the HTML that sites receive, by the policy of
 * shared/embed-policy.ts (docs/decisions/0036). An address becomes one by `embed:getEmbeddedCode`.
 */
export const embed = {
  type: 'EMBED' as const,
  settings,
  canBeMultiple: false,
  canBeUnique: false,
  canBeTitle: false,
  comparison: () => 'text',
  searchable: true,
  empty: '',
  typeScript: () => 'string',
  parse(value) {
    if (value == null || value === '') return parsed<string>(undefined)
    if (typeof value !== 'string') return refused()
    const code = value.trim()
    if (code === '') return parsed<string>(undefined)
    if (!isStorableText(code) || code.length > maximumEmbedCode) return refused('InvalidValue')
    return code.startsWith('<') ? parsed(code) : refused('InvalidFormat')
  },
  rules: () => [],
  text: htmlToText,
  // What of it may be kept, the server alone knows.
  needsServerCheck: () => true,
  into: { TEXT: (item) => ({ item }) },
} satisfies FieldType<EmbedSettings, string>
