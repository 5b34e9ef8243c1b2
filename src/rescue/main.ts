import { relative } from 'node:path'
import { type Command, parseCommand } from './cli.ts'
import { RescueFailure } from './failure.ts'
import { askForOptions, chooseLanguage } from './interactive.ts'
import {
  formatBytes,
  type Language,
  languageOf,
  type Messages,
  messagesFor,
  plain,
  sentenceFor,
} from './messages.ts'
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
    return ['usage', 'token_in_arguments', 'token_missing'].includes(code) ? 2 : 1
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
  const prompter = new Prompter(process.stdin, process.stdout)
  let options: RescueOptions
  let language: Language
  try {
    language = await chooseLanguage(prompter, command.language)
    onLanguage(language)
    options = await askForOptions(prompter, language, command.options)
  } finally {
    prompter.close()
  }
  return run(options, language)
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
  const { manifest, zipPath } = await rescue(
    options,
    createReporter(process.stderr, text),
    text,
    controller.signal,
  )
  const { counts, status } = manifest
  const dir = shown(options.out)
  const lines = [
    text.done[status],
    `${text.report.contentsTitle}: ${counts.contents.api} (API)${options.tokens.cdn ? ` + ${counts.contents.cdn} (CDN)` : ''}`,
    text.report.assets(counts.assets.urls, counts.assets.files, formatBytes(counts.assets.bytes)),
    text.done.archive(dir),
    text.done.report(`${dir}/report.md`),
    ...(zipPath ? [text.done.zip(shown(zipPath))] : []),
    text.done.verify(dir),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return exitCodes[status]
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
