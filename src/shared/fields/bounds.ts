import type { Issue } from '../errors.ts'

/** Returns an issue if the lower bound is greater than the upper bound. `path` is the path of the upper bound. */
export function boundsIssues(
  path: string,
  lower: number | null | undefined,
  upper: number | null | undefined,
): Issue[] {
  return lower != null && upper != null && lower > upper
    ? [{ path, code: 'TooSmallValue', params: { minimum: lower } }]
    : []
}
