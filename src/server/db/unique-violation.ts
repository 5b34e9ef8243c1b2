import { AppError, type ErrorCode } from '#shared/errors.ts'
import { hasState } from './sql-states.ts'

/**
 * Returns a handler for `.catch()` after a write. If this unique index refused the write, the handler throws `code`
 * with `path` as the duplicate. It rethrows other errors.
 */
export function whenTaken(index: string, code: ErrorCode, path: string): (error: unknown) => never {
  return (error) => {
    const { constraint } = error as { constraint?: string }
    if (!hasState(error, 'uniqueViolation') || constraint !== index) throw error
    throw new AppError(code, { issues: [{ path, code: 'DuplicatedValue' }], cause: error })
  }
}
