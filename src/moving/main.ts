import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { openArchive } from '#archive/source.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { Language } from '#shared/languages.ts'
import { type NamedApp, readNamedApps } from './chosen-apps.ts'
import { failureSentence } from './failures.ts'
import { runImport } from './import.ts'
import { type Messages, messagesFor } from './messages.ts'
import { readCalls } from './queries.ts'
import { sentencesIn } from './sentences.ts'
import { Calls } from './server-calls.ts'
import { findPlannedNames } from './update.ts'
import { archivesToVerify, type Verified, type VerifyOptions, verifyMove } from './verify.ts'

/*
 * `npm run import` imports an archive into a running server, `npm run verify-move` compares an imported app with its
 * archive. Both only need Node.js. Exit codes: 0, success; 1, failure or unexplained differences; 2, the plan has to be
 * checked; 64, wrong usage.
 */

const misused = 64
const mostShown = 50

class Misused extends Error {}

const readArguments = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      server: { type: 'string' },
      space: { type: 'string' },
      app: { type: 'string', multiple: true },
      token: { type: 'string' },
      'api-token': { type: 'string' },
      queries: { type: 'string' },
      yes: { type: 'boolean', default: false },
      update: { type: 'string' },
      'take-theirs': { type: 'boolean', default: false },
      'trash-gone': { type: 'boolean', default: false },
      'publish-unknown': { type: 'boolean', default: false },
      'confirm-contents': { type: 'boolean', default: false },
      lang: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })

const languageOf = (chosen?: string): Language =>
  (chosen ?? (/^ja/i.test(process.env.LANG ?? 'ja') ? 'ja' : 'en')) === 'en' ? 'en' : 'ja'

/** Prints the usage and exits on an unknown option. */
function argumentsOrEnd() {
  try {
    return readArguments()
  } catch {
    process.stdout.write(`${messagesFor(languageOf()).usage}\n`)
    return process.exit(misused)
  }
}

const { values, positionals } = argumentsOrEnd()
const text = messagesFor(languageOf(values.lang))
const sentences = sentencesIn(languageOf(values.lang))
// Continues if the reader of the output has ended, such as after `| head`. The exit code still reports the result.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

const say = (line: string) => void process.stdout.write(`${line}\n`)

function required(name: 'server' | 'space'): string {
  const value = values[name]
  if (!value) throw new Misused(text.missing(`--${name}`))
  return value
}

async function main(words: Messages): Promise<number> {
  const [command, path] = positionals
  if (values.help || path === undefined) {
    say(words.usage)
    return values.help ? 0 : misused
  }
  const [server, space] = [required('server'), required('space')]
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    throw new Misused(words.missing('--server https://…'))
  const outgoing = createOutgoingHttp({ allowPrivate: [new URL(server).origin] })
  try {
    const apps = readNamedApps(values.app ?? [])
    if (command === 'verify') return await verify(path, apps, { server, space, outgoing })
    const key = values.token ?? process.env.IMORI_MOVE_TOKEN
    if (!key) throw new Misused(words.missing('--token'))
    const calls = new Calls(outgoing, server, space, key)
    const { update: updated, yes, 'take-theirs': takesTheirs, 'trash-gone': trashesGone } = values
    const update = updated === undefined ? undefined : { app: updated, takesTheirs, trashesGone }
    const { 'publish-unknown': publishUnknown, 'confirm-contents': confirmContents } = values
    const choices = { apps, yes, update, publishUnknown, confirmContents }
    return await runImport({ path, server, space, ...choices, calls, text: words, sentences, say })
  } finally {
    await outgoing.close()
  }
}

/** Compares every app of the archive, or only the apps in `named`. Returns the exit code. */
async function verify(
  path: string,
  named: readonly NamedApp[],
  place: Pick<VerifyOptions, 'server' | 'space' | 'outgoing'>,
): Promise<number> {
  const cdn = values.token ?? process.env.IMORI_CDN_TOKEN
  const api = values['api-token'] ?? process.env.IMORI_API_TOKEN
  if (!cdn && !api) throw new Misused(text.missing('--token'))
  const tokens = { ...(cdn ? { cdn } : {}), ...(api ? { api } : {}) }
  const calls = values.queries ? readCalls(await readFile(values.queries, 'utf8')) : undefined
  const found = await archivesToVerify(path, named)
  const key = process.env.IMORI_MOVE_TOKEN
  const asker = key ? new Calls(place.outgoing, place.server, place.space, key) : undefined
  let isSame = true
  for (const { part, app } of found) {
    if (found.length > 1) say(text.verifying(app))
    const source = await openArchive(path, part)
    try {
      const result = await verifyMove(source, {
        ...place,
        app,
        tokens,
        expectsWritten: true,
        planned: asker && (await findPlannedNames(asker, app)),
        ...(calls ? { calls } : {}),
      })
      tell(result)
      if (result.unexplained.length > 0 || result.calls === 0) isSame = false
    } finally {
      source.close()
    }
  }
  return isSame ? 0 : 1
}

function tell({ calls, explained, removed, unexplained, writtenHere, renamedApp }: Verified): void {
  say(text.asked(calls))
  if (calls === 0) {
    say(text.nothingAsked)
    return
  }
  if (writtenHere.length > 0) say(text.writtenHere(writtenHere.length))
  for (const { model, id, title } of writtenHere.slice(0, mostShown)) say(`  ${model} ${id} ${title}`)
  if (renamedApp)
    say((renamedApp.isPlanned ? text.appRenamed : text.appNameDiffers)(renamedApp.from, renamedApp.to))
  if (explained.size > 0) say(text.explained)
  for (const [explanation, count] of explained) {
    say(`  ${text.explanations[explanation]}: ${count}`)
    if (explanation !== 'removed') continue
    for (const [kind, times] of [...removed].sort(([, a], [, b]) => b - a).slice(0, mostShown))
      say(text.removedKind(kind, times))
  }
  if (unexplained.length === 0) {
    say(text.same)
    return
  }
  say(text.unexplained(unexplained.length))
  for (const { call, difference } of unexplained.slice(0, mostShown)) {
    say(`  ${call.view} ${call.model} ${call.method} ${JSON.stringify(call.query)}: ${difference.path}`)
    say(`    - ${short(difference.expected)}`)
    say(`    + ${short(difference.actual)}`)
  }
}

const short = (value: unknown) => (JSON.stringify(value) ?? 'undefined').slice(0, 200)

try {
  process.exitCode = await main(text)
} catch (error) {
  if (error instanceof Misused) {
    say(error.message)
    say(text.usage)
    process.exitCode = misused
  } else {
    const [command, path = ''] = positionals
    const { server = '', space = '' } = values
    say(failureSentence(error, { text, sentences, server, space, path, compares: command === 'verify' }))
    process.exitCode = 1
  }
}
