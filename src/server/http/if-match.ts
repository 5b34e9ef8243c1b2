import { AppError } from '#shared/errors.ts'

/** Returns the version in a header such as `If-Match: "7"`. Undefined: no header. Throws 400 for any other value. */
export function readIfMatch(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const version = Number(/^"([1-9]\d{0,9})"$/.exec(header)?.[1])
  if (!(version <= 2_147_483_647))
    throw new AppError('ValidationFailed', {
      message: 'If-Match must be a version in quotation marks, such as "7"',
      issues: [{ path: 'if-match', code: 'InvalidFormat' }],
    })
  return version
}
