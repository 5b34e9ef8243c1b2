import { verifyArchive } from '#archive/verify.ts'
import { type Command, parseCommand } from '#rescue/cli/command.ts'
import { fillInForm } from '#rescue/cli/form.ts'
import { createReporter } from '#rescue/cli/progress.ts'
import { exitCodeOf, exitCodes, runAll } from '#rescue/cli/run-all.ts'
import { summarise } from '#rescue/cli/summary.ts'
import { languageOf, type Messages, messagesFor, plain, sentenceFor } from '#rescue/messages/messages.ts'
import { RescueFailure } from './failure.ts'

/** Runs the command. Resolves to the exit code and never throws. */
async function main(): Promise<number> {
  let language = languageOf(process.env)
  const lang = process.argv.indexOf('--lang')
  if (lang > 0) language = process.argv[lang + 1] === 'en' ? 'en' : 'ja'
  try {
    const command = parseCommand(process.argv.slice(2), process.env)
    language = command.language
    const text = messagesFor(language)
    if (command.name === 'help') {
      process.stdout.write(text.help)
      return 0
    }
    if (command.name === 'verify') return await verify(command.dir, text)
    if (command.name === 'rescue') return await run(command, text)
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      process.stdout.write(text.help)
      return 2
    }
    const terminal = { input: process.stdin, output: process.stdout, progress: process.stderr }
    return await fillInForm(terminal, command, process.cwd(), interruptible, (chosen) => {
      language = chosen
    })
  } catch (error) {
    const text = messagesFor(language)
    const code = error instanceof RescueFailure ? error.code : ''
    if (code === 'interrupted') {
      process.stderr.write(`\n${sentenceFor(error, text)}\n`)
      return 130
    }
    process.stderr.write(`${text.error}${sentenceFor(error, text)}\n`)
    return ['usage', 'token_in_arguments', 'token_missing', 'token_garbled'].includes(code) ? 2 : 1
  }
}

async function run({ runs }: Extract<Command, { name: 'rescue' }>, text: Messages): Promise<number> {
  const screen = { output: process.stdout, progress: process.stderr }
  const outcomes = await interruptible((signal) => runAll(runs, screen, text, signal))
  for (const line of await summarise(outcomes, text)) process.stdout.write(`${line}\n`)
  return exitCodeOf(outcomes)
}

/**
 * Runs work with a signal that Ctrl-C and SIGTERM abort. A second Ctrl-C exits immediately, which the journal
 * tolerates.
 */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    return await work(controller.signal)
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}

async function verify(dir: string, text: Messages): Promise<number> {
  const reporter = createReporter(process.stderr, text)
  const onProgress = (done: number, total: number) => reporter.step('verifying', done, total)
  const result = await verifyArchive(dir, { onProgress }).finally(() => reporter.end())
  const t = text.verify
  const lines = result.problems.map(({ kind, what }) => `- ${t.problems[kind]}: ${plain(what).slice(0, 500)}`)
  if (result.listed > 0) lines.push(t.listed(result.listed))
  const { signature } = result
  if (signature?.state === 'valid') lines.push(t.signed(signature.key))
  if (signature?.state === 'none') lines.push(t.unsigned)
  if (result.status === 'partial') lines.push(t.partial)
  if (result.problems.length > 0) lines.push(t.bad(result.found), t.what)
  else lines.push(t.ok(result.files, result.contents))
  process.stdout.write(`${lines.join('\n')}\n`)
  if (result.problems.length > 0) return 1
  return result.status === 'partial' ? exitCodes.partial : 0
}

// Continues if the output has no reader, for example after `| head`.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

const code = await main()
// Exits without waiting for pending work, after flushing the output.
process.stdout.write('', () => process.exit(code))
