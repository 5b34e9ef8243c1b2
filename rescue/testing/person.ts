import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'

/** What is typed: an answer and Enter, a key such as Ctrl-C, or Enter after something has been seen to. */
export type Typed = string | (() => Promise<void>)

/** A person at a terminal: types the next answer whenever a question stands there. */
export function person(answers: Typed[]) {
  const input = new PassThrough()
  const output = new PassThrough()
  let screen = ''
  let waiting = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    waiting += text
    if (!stripVTControlCharacters(waiting).endsWith('> ')) return
    waiting = ''
    const answer = answers.shift()
    if (typeof answer === 'function') answer().then(() => input.write('\r'))
    else if (answer !== undefined) {
      const isKey = answer === '\u0003'
      setImmediate(() => input.write(isKey ? answer : `${answer}\r`))
    }
  })
  return {
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
    /** Everything shown so far. */
    screen: () => screen,
    /** What was not asked for. */
    left: answers,
  }
}
