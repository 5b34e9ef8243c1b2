import { z } from 'zod'
import type { Issue } from '../errors.ts'
import {
  type FieldType,
  type ItemConversion,
  isStorableText,
  parsed,
  refused,
  storableText,
  typeScriptLiteral,
} from './field-type.ts'
import { parseNumber, readDecimal } from './number.ts'

const optionValue = z.union([
  storableText(200).min(1),
  z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER),
])
const settings = {
  /** The form control: a drop-down (`none`), radio buttons, or check boxes. */
  inputType: z.enum(['none', 'radio', 'checkbox']).default('none'),
  valueType: z.enum(['text', 'number']).default('text'),
  options: z
    .array(z.strictObject({ value: optionValue, label: storableText(200).default('') }))
    .max(500)
    .default([]),
  defaultValue: optionValue.nullish(),
}
const settingsSchema = z.object(settings)
export type SelectSettings = z.infer<typeof settingsSchema>

function optionIssues({ options, valueType, defaultValue }: SelectSettings): Issue[] {
  const issues: Issue[] = []
  const seen = new Set<string | number>()
  options.forEach(({ value }, index) => {
    const path = `options.${index}.value`
    if (typeof value !== (valueType === 'number' ? 'number' : 'string'))
      issues.push({ path, code: 'InvalidType' })
    else if (seen.has(value)) issues.push({ path, code: 'DuplicatedValue' })
    seen.add(value)
  })
  if (defaultValue != null && !seen.has(defaultValue))
    issues.push({ path: 'defaultValue', code: 'InvalidValue' })
  return issues
}

/** Converts a value to the type of the options: a text to a number, or a number to a text. */
const toOption: ItemConversion<SelectSettings> = (item, { to }) => {
  if (to.valueType === 'text') return { item: String(item) }
  return { item: typeof item === 'number' ? item : readDecimal(String(item)) }
}

export const select = {
  type: 'SELECT' as const,
  settings,
  canBeMultiple: true,
  canBeUnique: false,
  canBeTitle: false,
  comparison: ({ valueType }) => valueType,
  searchable: false,
  empty: '',
  typeScript: ({ options, valueType }) =>
    options.map(({ value }) => typeScriptLiteral(value)).join(' | ') ||
    (valueType === 'number' ? 'number' : 'string'),
  parse(value, { valueType }) {
    if (value == null || value === '') return parsed<string | number>(undefined)
    if (valueType === 'number') return parseNumber(value)
    if (typeof value !== 'string') return refused()
    return isStorableText(value) ? parsed<string | number>(value) : refused('InvalidValue')
  },
  // Values of removed options stay in documents, but block the next publication.
  rules: (value, { options }) =>
    options.some((option) => option.value === value) ? [] : [{ code: 'InvalidValue' }],
  text: String,
  settingsIssues: optionIssues,
  keepsValues: (from, to) => from.valueType === to.valueType,
  from: { TEXT: toOption, NUMBER: toOption, SELECT: toOption },
} satisfies FieldType<SelectSettings, string | number>
