import { AppError } from '#shared/errors.ts'

/** Returns a 400 `InvalidQueryParameter` with the name of the invalid parameter and the reason. */
export function badQuery(parameter: string, reason: string): AppError {
  const shown = parameter.length > 100 ? `${parameter.slice(0, 100).toWellFormed()}…` : parameter
  return new AppError('InvalidQueryParameter', {
    message: `${shown}: ${reason}`,
    issues: [{ path: shown, code: 'InvalidValue' }],
  })
}
