import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { RescueFailure } from '#rescue/failure.ts'

/** The lines of a paste arrive within this time. */
const pasteMs = 150

/** Questions on a terminal. Ctrl-C and Ctrl-D throw `interrupted`. */
export class Prompter {
  readonly #lines: Interface
  readonly #output: NodeJS.WriteStream
  #hidden = false
  #fail: ((error: Error) => void) | undefined
  /** Lines received while no question was pending: the rest of a paste. */
  #more: string[] = []

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#output = output
    const screen = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#hidden) output.write(chunk)
        done()
      },
    })
    // Required for wrapping long answers at the width of the window.
    Object.defineProperty(screen, 'columns', { get: () => output.columns })
    // No history: with one, the arrow keys would bring a token back on screen.
    this.#lines = createInterface({ input, output: screen, terminal: true, historySize: 0 })
    const stop = () => this.#fail?.(new RescueFailure('interrupted'))
    this.#lines.on('SIGINT', stop)
    this.#lines.on('close', stop)
    this.#lines.on('line', (line) => this.#more.push(line))
  }

  say(line: string): void {
    this.#output.write(`${line}\n`)
  }

  /** Asks for one line, trimmed; an empty answer means `initial`. */
  async ask(question: string, initial = ''): Promise<string> {
    // The question has its own line, so that the input stays readable in narrow windows.
    this.say(question)
    const answer = await this.#question(initial ? `[${initial}] > ` : '> ')
    return answer.trim() || initial
  }

  /** Like `ask`, for a list: also accepts all lines of a paste, joined by line breaks. */
  async askList(question: string, initial = ''): Promise<string> {
    const first = await this.ask(question, initial)
    await sleep(pasteMs)
    const rest = [...this.#more, this.#lines.line]
    this.#more = []
    // The last line of a paste may be unterminated.
    if (this.#lines.line !== '') {
      this.#lines.write(null, { ctrl: true, name: 'u' })
      this.say('')
    }
    return [first, ...rest].join('\n').trim()
  }

  /** Like `ask`, without echoing the input. */
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

  /** Asks for yes or no; accepts y/n and the given words. `initial` is the answer for empty input. */
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
    // Discards input typed before the question appeared.
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
