import { z } from 'zod'
import type { Issue } from '../errors.ts'
import { boundsIssues } from './bounds.ts'
import { type FieldType, type ItemConversion, parsed, refused } from './field-type.ts'

const finite = z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER)
const settings = {
  min: finite.nullish(),
  max: finite.nullish(),
  step: z.number().positive().max(Number.MAX_SAFE_INTEGER).nullish(),
  integer: z.boolean().default(false),
  defaultValue: finite.nullish(),
}
const settingsSchema = z.object(settings)
export type NumberSettings = z.infer<typeof settingsSchema>

/** Is `value` a whole number of steps from `base`, as decimals go (0.3 is three steps of 0.1)? */
function isOnStep(value: number, step: number, base: number): boolean {
  const steps = (value - base) / step
  return Math.abs(steps - Math.round(steps)) < 1e-9 * Math.max(1, Math.abs(steps))
}

/** Reads a number of any of the types that hold one. */
export function parseNumber(value: unknown) {
  if (value == null || value === '') return parsed<number>(undefined)
  if (typeof value !== 'number') return refused()
  // Whole numbers beyond 2^53 have already lost digits when they reach us: refuse, do not store another number.
  return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? parsed(Object.is(value, -0) ? 0 : value)
    : refused('InvalidValue')
}

/** A number as people write one; anything else stays text, which no number field takes. */
export function readDecimal(text: string): unknown {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : text
}

const toNumber: ItemConversion<NumberSettings> = (item) => ({ item: readDecimal(String(item)) })

export const number = {
  type: 'NUMBER' as const,
  settings,
  canBeMultiple: false,
  canBeUnique: true,
  canBeTitle: false,
  comparison: () => 'number',
  searchable: false,
  empty: null,
  typeScript: () => 'number',
  parse: parseNumber,
  rules(value, { min, max, step, integer }) {
    const issues: Omit<Issue, 'path'>[] = []
    if (max != null && value > max) issues.push({ code: 'TooLargeValue', params: { maximum: max } })
    if (min != null && value < min) issues.push({ code: 'TooSmallValue', params: { minimum: min } })
    if (integer && !Number.isInteger(value)) issues.push({ code: 'InvalidValue' })
    else if (step != null && !isOnStep(value, step, min ?? 0))
      issues.push({ code: 'InvalidValue', params: { step } })
    return issues
  },
  text: String,
  settingsIssues: ({ min, max }) => boundsIssues('max', min, max),
  from: { TEXT: toNumber, SELECT: toNumber },
} satisfies FieldType<NumberSettings, number>
