import { AppError, type ErrorCode } from '#shared/errors.ts'
import { hasState } from './sql-states.ts'

/**
 * For `.catch()` behind a write: when this unique index refused it, throws `code` and names `path` as the duplicate;
 * any other error goes on as it is. The index decides, so two writers at once cannot both win.
 */
export function whenTaken(index: string, code: ErrorCode, path: string): (error: unknown) => never {
  return (error) => {
    const { constraint } = error as { constraint?: string }
    if (!hasState(error, 'uniqueViolation') || constraint !== index) throw error
    throw new AppError(code, { issues: [{ path, code: 'DuplicatedValue' }], cause: error })
  }
}
