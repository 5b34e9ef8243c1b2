import { z } from 'zod'
import type { Issue } from '../errors.ts'
import { isTranslucent, readColor } from './color-code.ts'
import { type FieldType, parsed, refused, storableText } from './field-type.ts'

const settings = {
  alpha: z.boolean().default(false),
  /** Colours offered for quick selection. Other colours are allowed too. */
  palette: z.array(storableText(20)).max(50).default([]),
  defaultValue: storableText(20).nullish(),
}
const settingsSchema = z.object(settings)
export type ColorSettings = z.infer<typeof settingsSchema>

/** A colour in CSS notation: `#rrggbb` in lower case, or `#rrggbbaa` if the settings allow it. */
export const color = {
  type: 'COLOR' as const,
  settings,
  canBeMultiple: false,
  canBeUnique: false,
  canBeTitle: false,
  comparison: () => 'text',
  searchable: false,
  empty: '',
  typeScript: () => 'string',
  parse(value) {
    if (value == null || value === '') return parsed<string>(undefined)
    if (typeof value !== 'string') return refused()
    const read = readColor(value)
    return read === null ? refused('InvalidFormat') : parsed(read)
  },
  // Documents keep translucent colours that earlier settings allowed, but these block the next publication.
  rules: (value, { alpha }) => (isTranslucent(value) && !alpha ? [{ code: 'InvalidValue' }] : []),
  text: (value) => value,
  settingsIssues({ alpha, palette, defaultValue }) {
    const issues: Issue[] = []
    const check = (path: string, value: string) => {
      if (readColor(value) !== value) issues.push({ path, code: 'InvalidFormat' })
      else if (isTranslucent(value) && !alpha) issues.push({ path, code: 'InvalidValue' })
    }
    for (const [index, value] of palette.entries()) check(`palette.${index}`, value)
    if (defaultValue) check('defaultValue', defaultValue)
    return issues
  },
  from: { TEXT: (item) => ({ item }), SELECT: (item) => ({ item }) },
  into: { TEXT: (item) => ({ item }) },
} satisfies FieldType<ColorSettings, string>
