import { z } from 'zod'
import type { Issue } from '../errors.ts'
import { idPattern } from '../identifiers.ts'
import { boundsIssues } from './bounds.ts'
import {
  type FieldType,
  isStorableText,
  parsed,
  type RuleEnvironment,
  refused,
  storableText,
} from './field-type.ts'
import { htmlToText, textToHtml } from './html-text.ts'
import { renamedAddress } from './renamed.ts'

const settings = {
  inputType: z.enum(['inputText', 'textarea']).default('inputText'),
  minLength: z.int().min(0).max(500_000).nullish(),
  maxLength: z.int().min(1).max(500_000).nullish(),
  /** A regular expression in RE2 syntax that must match some part of the value. */
  pattern: storableText(200).nullish(),
  defaultValue: storableText(10_000).nullish(),
  /** `_id` of the sibling field from which the admin generates this slug. */
  slugOf: z.string().regex(idPattern).nullish(),
}
const settingsSchema = z.object(settings)
export type TextSettings = z.infer<typeof settingsSchema>

interface LengthBounds {
  minLength?: number | null | undefined
  maxLength?: number | null | undefined
}

/** Returns an issue if `minLength` is greater than `maxLength`. */
export const lengthBoundsIssues = ({ minLength, maxLength }: LengthBounds): Issue[] =>
  boundsIssues('maxLength', minLength, maxLength)

/**
 * Returns the issue if a limit on the number of characters is broken, for all text-like types. Calls `textOf` only if
 * there is a limit.
 */
export function lengthIssues(
  textOf: () => string,
  { minLength, maxLength }: LengthBounds,
  { countCharacters }: RuleEnvironment,
): Omit<Issue, 'path'>[] {
  if (minLength == null && maxLength == null) return []
  const length = countCharacters(textOf())
  if (maxLength != null && length > maxLength)
    return [{ code: 'TooManyCharacters', params: { maximum: maxLength, actual: length } }]
  if (minLength != null && length < minLength)
    return [{ code: 'TooFewCharacters', params: { minimum: minLength, actual: length } }]
  return []
}

/** Reads a string, for all text-like types. */
export function parseText(value: unknown) {
  if (value == null || value === '') return parsed<string>(undefined)
  if (typeof value !== 'string') return refused()
  return isStorableText(value) ? parsed(value) : refused('InvalidValue')
}

export const text = {
  type: 'TEXT' as const,
  settings,
  canBeMultiple: true,
  canBeUnique: true,
  canBeTitle: true,
  comparison: () => 'text',
  searchable: true,
  empty: '',
  emptyItem: '',
  typeScript: () => 'string',
  parse: parseText,
  renamed: renamedAddress,
  rules(value, settings, environment) {
    const issues = lengthIssues(() => value, settings, environment)
    if (settings.pattern && !environment.matches(settings.pattern, value))
      issues.push({ code: 'InvalidValue' })
    return issues
  },
  text: (value) => value,
  settingsIssues: (settings, { compiles }) => [
    ...lengthBoundsIssues(settings),
    ...(settings.pattern && !compiles(settings.pattern)
      ? [{ path: 'pattern', code: 'InvalidFormat' } as const]
      : []),
  ],
  needsServerCheck: ({ pattern }) => pattern != null,
  from: {
    MARKDOWN: (item) => ({ item }),
    RICH_TEXT: (item) => {
      const text = htmlToText(String(item))
      return { item: text, lossy: textToHtml(text) !== item }
    },
    NUMBER: (item) => ({ item: String(item) }),
    SELECT: (item) => ({ item: String(item) }),
    DATE: (item) => ({ item }),
  },
} satisfies FieldType<TextSettings, string>
