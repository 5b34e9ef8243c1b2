import { readContent } from '#archive/content.ts'
import { checkShape, InvalidJson, parseJson } from '#archive/json.ts'
import { RescueFailure } from '#rescue/failure.ts'

/** Wraps a parser for responses of Newt, so that unreadable input throws RescueFailure `strange_answer`. */
export function strangeIfUnreadable<Value>(read: (answer: Buffer) => Value): (answer: Buffer) => Value {
  return (answer) => {
    try {
      return read(answer)
    } catch (error) {
      if (error instanceof InvalidJson) throw new RescueFailure('strange_answer', { reason: error.message })
      throw error
    }
  }
}

/** Parses JSON. Throws RescueFailure `strange_answer` if it is invalid. */
export const parseAnswer = strangeIfUnreadable(parseJson)
/**
 * Throws RescueFailure `strange_answer` if the response is too large, is nested too deeply, or has an unterminated
 * string.
 */
export const checkAnswerShape = strangeIfUnreadable(checkShape)
/**
 * Parses one content of a response. Returns undefined if it is not an object. Throws RescueFailure `strange_answer`.
 */
export const readAnsweredContent = strangeIfUnreadable(readContent)
