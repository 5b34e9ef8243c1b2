import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { RescueFailure } from './failure.ts'

/** Questions on a terminal. Ctrl-C and Ctrl-D throw `interrupted`. */
export class Prompter {
  readonly #lines: Interface
  readonly #output: NodeJS.WriteStream
  #hidden = false
  #fail: ((error: Error) => void) | undefined

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#output = output
    const screen = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#hidden) output.write(chunk)
        done()
      },
    })
    // No history: with one, the arrow keys would bring a token back on screen.
    this.#lines = createInterface({ input, output: screen, terminal: true, historySize: 0 })
    const stop = () => this.#fail?.(new RescueFailure('interrupted'))
    this.#lines.on('SIGINT', stop)
    this.#lines.on('close', stop)
  }

  say(line: string): void {
    this.#output.write(`${line}\n`)
  }

  /** One trimmed line; `initial` is taken for an empty one. */
  async ask(question: string, initial = ''): Promise<string> {
    const answer = await this.#question(initial ? `${question} [${initial}]: ` : `${question}: `)
    return answer.trim() || initial
  }

  /** Like `ask`, but nothing typed appears on screen. */
  async askHidden(question: string): Promise<string> {
    this.#output.write(`${question}: `)
    this.#hidden = true
    try {
      return (await this.#question('')).trim()
    } finally {
      this.#hidden = false
      this.#output.write('\n')
    }
  }

  /** Yes or no; takes y/n in any language, and the words given. */
  async confirm(question: string, [yes, no]: readonly [string, string]): Promise<boolean> {
    const answer = (await this.ask(`${question} (y/N)`)).toLowerCase()
    return answer !== no.toLowerCase() && (answer.startsWith('y') || answer === yes.toLowerCase())
  }

  close(): void {
    this.#fail = undefined
    this.#lines.close()
  }

  #question(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#fail = reject
      this.#lines.question(text, resolve)
    })
  }
}
