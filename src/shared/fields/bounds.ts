import type { Issue } from '../errors.ts'

/** Issue when a lower and an upper bound exclude each other. `path` is that of the upper bound. */
export function boundsIssues(
  path: string,
  lower: number | null | undefined,
  upper: number | null | undefined,
): Issue[] {
  return lower != null && upper != null && lower > upper
    ? [{ path, code: 'TooSmallValue', params: { minimum: lower } }]
    : []
}
