import type { ErrorCode } from '#shared/errors.ts'

/**
 * Why a file is not taken, or nothing can be made of it. Every one is answered as the error of that code;
 * `ValidationFailed`: what was asked for lies outside the picture.
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

/** Thrown where files are decoded; an {@link AppError} of its code for whoever asked. */
export class Refusal extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode) {
    super(code)
    this.code = code
  }
}

/** What a decoder throws, as a refusal: it has no codes, only sentences. */
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
