import { readContent } from '#archive/content.ts'
import { checkShape, InvalidJson, parseJson } from '#archive/json.ts'
import { RescueFailure } from '#rescue/failure.ts'

/** Wraps a parser for responses of Newt: unreadable input throws RescueFailure `strange_answer`. */
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

/** Throws RescueFailure `strange_answer` when it is no JSON. */
export const parseAnswer = strangeIfUnreadable(parseJson)
/** Throws RescueFailure `strange_answer` when it nests deeper than any model. */
export const checkAnswerShape = strangeIfUnreadable(checkShape)
/** Parses one content of a response; undefined when it is no object. Throws RescueFailure `strange_answer`. */
export const readAnsweredContent = strangeIfUnreadable(readContent)
