import type { z } from 'zod'
import { AppError } from '#shared/errors.ts'
import { zodIssues } from '#shared/zod-issues.ts'

/** Parses external input. Throws a 400 `ValidationFailed` with the paths of the invalid values. */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  throw new AppError('ValidationFailed', { issues: zodIssues(result.error.issues) })
}
