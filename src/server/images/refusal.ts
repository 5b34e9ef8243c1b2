import type { ErrorCode } from '#shared/errors.ts'

/**
 * Reason why a file is refused or cannot be processed. The server responds with the error of this code.
 * `ValidationFailed`: the requested region is outside the picture.
 */
export type RefusalCode = Extract<
  ErrorCode,
  | 'FileIsEmpty'
  | 'FileIsDamaged'
  | 'ImageIsTooLarge'
  | 'UnsupportedMediaType'
  | 'ValidationFailed'
  | 'NotFound'
>

/** Thrown in the image process. The server throws an {@link AppError} with its code instead. */
export class Refusal extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode) {
    super(code)
    this.code = code
  }
}

/** Converts a decoder's error to a refusal. Decoders have no error codes, so the message is matched. */
export function decoderRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const sentence = error instanceof Error ? error.message : ''
  if (/^Input file is missing/.test(sentence)) return new Refusal('NotFound')
  return new Refusal(
    /pixel limit|too large|exceeds|dimensions?.*(?:limit|large)|Invalid image dimensions/i.test(sentence)
      ? 'ImageIsTooLarge'
      : 'FileIsDamaged',
  )
}
