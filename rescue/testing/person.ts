import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'

/** Input: an answer followed by Enter, the key Ctrl-C, or a function to run before Enter. */
export type Typed = string | (() => Promise<void>)

/** Returns a simulated user at a terminal, who types the next answer at each question. */
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
    screen: () => screen,
    /** The answers that were not used. */
    left: answers,
  }
}
