import { isAbsolute, relative, resolve } from 'node:path'
import { type Messages, messagesFor, sentenceFor } from '#rescue/messages/messages.ts'
import type { Access } from '#rescue/newt/connect.ts'
import type { RescueOptions } from '#rescue/run/options.ts'
import { Workspace } from '#rescue/run/workspace.ts'
import type { Language } from '#shared/languages.ts'
import { askAccess, askCdnToken } from './ask-access.ts'
import { askModels } from './ask-models.ts'
import { folderFor, parseHost, type RescueArguments } from './command.ts'
import { folderIn, isUid, uidIn, uidsInAddress } from './pasted.ts'
import type { Prompter } from './prompt.ts'
import { checkFolder, findUnfinished } from './unfinished.ts'

/** Asks for the language. The question is in both languages. */
export async function chooseLanguage(prompter: Prompter, guess: Language): Promise<Language> {
  const initial = guess === 'ja' ? '1' : '2'
  const answer = await prompter.ask('言語 / Language   1) 日本語  2) English', initial)
  const plain = answer.normalize('NFKC')
  return plain === '2' || /^en/i.test(plain) ? 'en' : 'ja'
}

/**
 * Offers to resume unfinished runs, all of one space. Returns the options of the runs that the user accepts, or only
 * `given` if the user accepts none.
 */
export async function offerUnfinished(
  prompter: Prompter,
  language: Language,
  given: RescueArguments,
  place: string,
): Promise<RescueArguments[]> {
  const text = messagesFor(language)
  const taken: RescueArguments[] = []
  for (const run of await findUnfinished(place)) {
    if (run.origin !== (given.origin ?? '') || run.space !== (taken[0]?.space ?? run.space)) continue
    const question = text.prompts.goOn(run.dir, run.space, run.app)
    if (await prompter.confirm(question, text.prompts.yesNo, true)) {
      const { space, app, models, assetHosts, zip, dir } = run
      taken.push({ ...given, space, app, models, assetHosts, zip, out: dir })
    }
  }
  return taken.length > 0 ? taken : [given]
}

/**
 * Asks for all options that are needed to save one or more apps of a space, and checks the answers. `given` contains
 * the default values.
 */
export async function askForRuns(
  prompter: Prompter,
  language: Language,
  given: readonly RescueArguments[],
): Promise<RescueOptions[]> {
  const text = messagesFor(language)
  const ask = text.prompts
  const refused = new Set<string>()
  const proposals = [...given]
  const runs: RescueOptions[] = []
  for (;;) {
    const last = runs.at(-1)
    const proposal = proposals.shift() ?? (last && (await askNextApp(prompter, runs, last, text)))
    if (!proposal) break
    // The previous app provides the space, and the default for the tokens.
    const next = last ? { ...proposal, space: last.space, tokens: last.tokens } : proposal
    const run = await askApp(prompter, next, runs, text, last && refused)
    if (run) runs.push(run)
  }
  const known = [...new Set(given.flatMap(({ assetHosts }) => assetHosts))]
  const assetHosts = await askHosts(prompter, known, text)
  const zip = given.some((one) => one.zip) || (await prompter.confirm(ask.zip, ask.yesNo))
  prompter.say('')
  prompter.say(ask.unattended)
  return runs.map((run) => ({ ...run, assetHosts, zip }))
}

/** Asks for the next app to save; undefined if the user names none. */
async function askNextApp(
  prompter: Prompter,
  runs: readonly RescueOptions[],
  last: RescueOptions,
  text: Messages,
): Promise<RescueArguments | undefined> {
  const ask = text.prompts
  for (;;) {
    const answer = await prompter.ask(ask.nextApp(runs.map(({ app }) => app)))
    if (answer === '') return undefined
    const app = uidIn(answer, 'app')
    const { space, model } = uidsInAddress(answer)
    if (!isUid(app, 'app')) prompter.say(ask.badUid)
    else if (space && space !== last.space) prompter.say(ask.otherSpace)
    else if (runs.some((run) => run.app === app)) prompter.say(ask.sameApp)
    else return { ...last, app, models: model ? [model] : [], out: '' }
  }
}

/** Asks for one app, its models and its folder. Returns undefined if the app was given up. */
async function askApp(
  prompter: Prompter,
  given: RescueArguments,
  before: readonly RescueOptions[],
  text: Messages,
  refused: Set<string> | undefined,
): Promise<RescueOptions | undefined> {
  const isUnfinished = given.out !== '' && (await Workspace.isUnfinished(given.out))
  const known = await askAccess(prompter, given, text, refused, isUnfinished)
  if (!known) return undefined
  const { space, app, apiToken, model } = known
  const access = { ...given, space, app }
  if (known.isGone) return { ...access, tokens: { api: apiToken, cdn: known.cdnToken || undefined } }
  // If the previous app has no CDN token, the user is not asked for one.
  const cdnToken =
    before.length > 0 && !known.cdnToken
      ? ''
      : await askCdnToken(prompter, access, apiToken, known.cdnToken, text)
  const tokens = { api: apiToken, cdn: cdnToken || undefined }
  const proposals = given.models.length > 0 ? given.models : [model].filter(Boolean)
  const models = await askModels(prompter, { ...access, tokens }, proposals, text)
  const proposed = given.out || folderFor(space, app)
  const out = await askFolder(prompter, proposed, { ...access, tokens }, before, text)
  if (await Workspace.isUnfinished(out)) prompter.say(text.prompts.resume(out))
  return { ...access, tokens, models, out }
}

async function askHosts(prompter: Prompter, given: readonly string[], text: Messages): Promise<string[]> {
  for (;;) {
    const answer = await prompter.ask(text.prompts.assetHosts, given.join(' '))
    const hosts = answer.split(/[\s,、]+/).filter(Boolean)
    // A word without a dot or colon is not a public host.
    const parsed = hosts.map((host) => (/[.:]/.test(host) ? parseHost(host) : undefined))
    if (parsed.every((host) => host !== undefined)) return parsed
    prompter.say(text.prompts.badHost)
  }
}

/**
 * Asks for a writable folder that is empty or contains an unfinished run of this app. It must not overlap with the
 * folders of other apps.
 */
async function askFolder(
  prompter: Prompter,
  initial: string,
  { space, app, origin }: Access,
  before: readonly RescueOptions[],
  text: Messages,
): Promise<string> {
  let proposal = initial
  for (;;) {
    const dir = folderIn(await prompter.ask(text.prompts.out, proposal))
    if (before.some(({ out }) => overlap(out, dir))) {
      prompter.say(text.prompts.sameFolder)
      continue
    }
    const failure = await checkFolder(dir, { space, app, origin: origin ?? '' })
    if (!failure) return dir
    prompter.say(sentenceFor(failure, text))
    if (failure.code === 'folder_complete' || failure.code === 'folder_of_another') proposal = next(dir)
  }
}

/** Returns whether one of two folders equals or contains the other. */
function overlap(one: string, other: string): boolean {
  const isInside = (inner: string, outer: string) => {
    const path = relative(resolve(outer), resolve(inner))
    return !path.startsWith('..') && !isAbsolute(path)
  }
  return isInside(one, other) || isInside(other, one)
}

/** Returns the next folder name: `newt-acme-blog` → `newt-acme-blog-2` → `newt-acme-blog-3`. */
function next(dir: string): string {
  const [, base = dir, number = '1'] = /^(.*?)(?:-(\d{1,3}))?$/.exec(dir) ?? []
  return `${base}-${Number(number) + 1}`
}
