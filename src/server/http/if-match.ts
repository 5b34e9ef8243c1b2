import { AppError } from '#shared/errors.ts'

/** The version of `If-Match: "7"`; undefined without the header. Throws 400 for anything else. */
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
