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

/**
 * Returns whether `value` is a whole number of steps away from `base`, tolerating floating-point error (0.3 is three
 * steps of 0.1).
 */
function isOnStep(value: number, step: number, base: number): boolean {
  const steps = (value - base) / step
  return Math.abs(steps - Math.round(steps)) < 1e-9 * Math.max(1, Math.abs(steps))
}

/** Reads a number, for number fields and numeric options. */
export function parseNumber(value: unknown) {
  if (value == null || value === '') return parsed<number>(undefined)
  if (typeof value !== 'number') return refused()
  // Integers beyond 2^53 have already lost digits when JSON was parsed, so they are refused.
  return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? parsed(Object.is(value, -0) ? 0 : value)
    : refused('InvalidValue')
}

/** Parses a decimal number. Returns any other text unchanged, which number fields refuse. */
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
