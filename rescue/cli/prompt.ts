import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { RescueFailure } from '#rescue/failure.ts'

/** Time in ms to wait for the remaining lines of a paste. */
const pasteMs = 150

/** Asks questions on a terminal. Ctrl-C and Ctrl-D throw `interrupted`. */
export class Prompter {
  readonly #lines: Interface
  readonly #output: NodeJS.WriteStream
  #hidden = false
  #fail: ((error: Error) => void) | undefined
  /** Lines received while no question was pending: the remaining lines of a paste. */
  #more: string[] = []

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#output = output
    const screen = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#hidden) output.write(chunk)
        done()
      },
    })
    // Long answers are wrapped at the width of the window, for which `readline` needs this property.
    Object.defineProperty(screen, 'columns', { get: () => output.columns })
    // There is no history, because the arrow keys would show a token on the screen again.
    this.#lines = createInterface({ input, output: screen, terminal: true, historySize: 0 })
    const stop = () => this.#fail?.(new RescueFailure('interrupted'))
    this.#lines.on('SIGINT', stop)
    this.#lines.on('close', stop)
    this.#lines.on('line', (line) => this.#more.push(line))
  }

  say(line: string): void {
    this.#output.write(`${line}\n`)
  }

  /** Asks for one line, which is trimmed. An empty answer means `initial`. */
  async ask(question: string, initial = ''): Promise<string> {
    // The question is on its own line, so that the input stays readable in narrow windows.
    this.say(question)
    const answer = await this.#question(initial ? `[${initial}] > ` : '> ')
    return answer.trim() || initial
  }

  /** Asks for a list. Works like `ask`, but also accepts all lines of a paste, joined by line breaks. */
  async askList(question: string, initial = ''): Promise<string> {
    const first = await this.ask(question, initial)
    await sleep(pasteMs)
    const rest = [...this.#more, this.#lines.line]
    this.#more = []
    // The last line of a paste may have no line break.
    if (this.#lines.line !== '') {
      this.#lines.write(null, { ctrl: true, name: 'u' })
      this.say('')
    }
    return [first, ...rest].join('\n').trim()
  }

  async askHidden(question: string): Promise<string> {
    this.#output.write(`${question}\n> `)
    this.#hidden = true
    try {
      return (await this.#question('')).trim()
    } finally {
      this.#hidden = false
      this.#output.write('\n')
    }
  }

  /** Asks for yes or no. Accepts y/n and the given words. `initial` is the result of any other input. */
  async confirm(question: string, [yes, no]: readonly [string, string], initial = false): Promise<boolean> {
    const answer = (await this.ask(`${question} (${initial ? 'Y/n' : 'y/N'})`))
      .normalize('NFKC')
      .toLowerCase()
    if (answer.startsWith('y') || answer === yes.toLowerCase()) return true
    return initial && answer !== no.toLowerCase() && !answer.startsWith('n')
  }

  close(): void {
    this.#fail = undefined
    this.#lines.close()
  }

  #question(text: string): Promise<string> {
    // Lines entered before the question do not belong to its answer. An unfinished line stays in the input.
    this.#more = []
    return new Promise((resolve, reject) => {
      this.#fail = reject
      this.#lines.question(text, (answer) => {
        this.#more = []
        resolve(answer)
      })
    })
  }
}
