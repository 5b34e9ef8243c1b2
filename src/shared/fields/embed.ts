import { z } from 'zod'
import { type FieldType, isStorableText, parsed, refused } from './field-type.ts'
import { htmlToText } from './html-text.ts'

/** Maximum number of characters of an embed code. Codes of known services have up to about 7,000. */
export const maximumEmbedCode = 16_384

const settings = {}
const settingsSchema = z.object(settings)
export type EmbedSettings = z.infer<typeof settingsSchema>

/**
 * An embed code of another service, stored as the HTML that sites receive, sanitised by shared/embed-policy.ts
 * (docs/decisions/0036). `embed:getEmbeddedCode` creates an embed code from a URL.
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
  // Only the server can sanitise embed codes.
  needsServerCheck: () => true,
  into: { TEXT: (item) => ({ item }) },
} satisfies FieldType<EmbedSettings, string>
