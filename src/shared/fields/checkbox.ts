import { z } from 'zod'
import { type FieldType, parsed, refused } from './field-type.ts'

const settings = {
  inputType: z.enum(['checkbox']).default('checkbox'),
  defaultValue: z.boolean().nullish(),
}
const settingsSchema = z.object(settings)
export type CheckboxSettings = z.infer<typeof settingsSchema>

/** A boolean, `false` until an editor checks the box. `required` means that the box must be checked. */
export const checkbox = {
  type: 'CHECKBOX' as const,
  settings,
  canBeMultiple: false,
  canBeUnique: false,
  canBeTitle: false,
  comparison: () => 'boolean',
  searchable: false,
  empty: false,
  typeScript: () => 'boolean',
  parse(value) {
    if (value == null) return parsed<boolean>(undefined)
    return typeof value === 'boolean' ? parsed(value) : refused()
  },
  rules: () => [],
  text: String,
  isEmpty: (value) => !value,
} satisfies FieldType<CheckboxSettings, boolean>
