import type { Issue } from '../errors.ts'

/** What is wrong with a lower and an upper bound: that they exclude each other. `path` is that of the upper one. */
export function boundsIssues(
  path: string,
  lower: number | null | undefined,
  upper: number | null | undefined,
): Issue[] {
  return lower != null && upper != null && lower > upper
    ? [{ path, code: 'TooSmallValue', params: { minimum: lower } }]
    : []
}
