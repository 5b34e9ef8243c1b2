import { join, relative } from 'node:path'
import { type Command, parseCommand } from './cli.ts'
import { RescueFailure } from './failure.ts'
import { askForOptions, chooseLanguage, offerUnfinished } from './interactive.ts'
import {
  formatBytes,
  type Language,
  languageOf,
  type Messages,
  messagesFor,
  plain,
  sentenceFor,
} from './messages.ts'
import { isUid, uidIn } from './pasted.ts'
import { createReporter } from './progress.ts'
import { Prompter } from './prompt.ts'
import { type RescueOptions, rescue } from './rescue.ts'
import { verifyArchive } from './verify.ts'

const exitCodes = { complete: 0, gaps: 3, partial: 4 } as const

/** Runs the command; resolves with the exit code, never throws. */
async function main(): Promise<number> {
  let language = languageOf(process.env)
  const lang = process.argv.indexOf('--lang')
  if (lang > 0) language = process.argv[lang + 1] === 'en' ? 'en' : 'ja'
  try {
    const command = parseCommand(process.argv.slice(2), process.env)
    language = command.language
    if (command.name === 'help') {
      process.stdout.write(messagesFor(language).help)
      return 0
    }
    if (command.name === 'verify') return await verify(command.dir, messagesFor(language))
    if (command.name === 'rescue') return await run(command.options, language)
    return await interactive(command, (chosen) => {
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

async function interactive(
  command: Extract<Command, { name: 'ask' }>,
  onLanguage: (language: Language) => void,
): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    process.stdout.write(messagesFor(command.language).help)
    return 2
  }
  let language = command.language
  const asked = await withPrompter(async (prompter) => {
    language = await chooseLanguage(prompter, command.language)
    onLanguage(language)
    const { welcome, hint } = messagesFor(language).prompts
    for (const line of ['', welcome, hint, '']) prompter.say(line)
    const given = await offerUnfinished(prompter, language, command.options, process.cwd())
    return askForOptions(prompter, language, given)
  })
  const text = messagesFor(language)
  let options: RescueOptions | undefined = asked
  let worst = 0
  while (options) {
    const current: RescueOptions = options
    const code = await run(current, language).catch((error: unknown) => {
      if (error instanceof RescueFailure && error.code === 'interrupted') throw error
      process.stderr.write(`${text.error}${sentenceFor(error, text)}\n`)
      return 1
    })
    worst = Math.max(worst, code)
    const isOver = code === exitCodes.complete || code === exitCodes.gaps
    const next = await withPrompter(async (prompter) => {
      prompter.say('')
      if (!isOver && (await prompter.confirm(text.prompts.tryAgain, text.prompts.yesNo, true))) return current
      const app = uidIn(await prompter.ask(text.prompts.nextApp), 'app')
      if (!app) return undefined
      return askForOptions(prompter, language, {
        ...current,
        app: isUid(app) ? app : '',
        models: [],
        out: '',
      })
    }).catch((error: unknown) => {
      // Ctrl-C instead of Enter: what was saved is saved.
      if (error instanceof RescueFailure && error.code === 'interrupted') return undefined
      throw error
    })
    options = next
    // A retry that succeeded makes good what failed before.
    if (options === current) worst = 0
  }
  return worst
}

/** The terminal belongs to the questions only while they are asked: Ctrl-C means something else in a run. */
async function withPrompter<T>(work: (prompter: Prompter) => Promise<T>): Promise<T> {
  const prompter = new Prompter(process.stdin, process.stdout)
  try {
    return await work(prompter)
  } finally {
    prompter.close()
  }
}

async function run(options: RescueOptions, language: Language): Promise<number> {
  const text = messagesFor(language)
  const controller = new AbortController()
  const stop = () => {
    // A second Ctrl-C means now; the journal bears it.
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const reporter = createReporter(process.stderr, text)
  if (options.proxy && !options.origin) reporter.note(text.progress.proxy(new URL(options.proxy).host))
  try {
    const { manifest, zipPath, failure } = await rescue(options, reporter, text, controller.signal)
    const { counts, status } = manifest
    const dir = shown(options.out)
    const lines = [
      ...(failure ? [`${text.error}${sentenceFor(failure, text)}`] : []),
      text.done[status],
      `${text.report.contentsTitle}: ${counts.contents.api} (API)${options.tokens.cdn ? ` + ${counts.contents.cdn} (CDN)` : ''}`,
      text.report.assets(counts.assets.urls, counts.assets.files, formatBytes(counts.assets.bytes)),
      text.done.archive(dir),
      text.done.report(join(dir, 'report.md')),
      ...(zipPath ? [text.done.zip(shown(zipPath))] : []),
      text.done.verify(quoted(dir)),
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
    return exitCodes[status]
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}

/** A path as one word of a command, in every shell. */
function quoted(path: string): string {
  return /^[\w./\\:~-]+$/.test(path) ? path : `"${path}"`
}

/** A path as a person would type it: relative when it lies below. */
function shown(path: string): string {
  const below = relative(process.cwd(), path)
  return below.startsWith('..') ? path : below || '.'
}

async function verify(dir: string, text: Messages): Promise<number> {
  const result = await verifyArchive(dir, createReporter(process.stderr, text))
  const t = text.verify
  const lines = result.problems.map(({ kind, what }) => `- ${t.problems[kind]}: ${plain(what).slice(0, 500)}`)
  if (result.listed > 0) lines.push(t.listed(result.listed))
  if (result.status === 'partial') lines.push(t.partial)
  if (result.problems.length > 0) lines.push(t.bad(result.found), t.what)
  else lines.push(t.ok(result.files, result.contents))
  process.stdout.write(`${lines.join('\n')}\n`)
  if (result.problems.length > 0) return 1
  return result.status === 'partial' ? exitCodes.partial : 0
}

process.exitCode = await main()
