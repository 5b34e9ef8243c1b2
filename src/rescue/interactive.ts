import { parseHost, type RescueArguments } from './cli.ts'
import { type Access, connect } from './connect.ts'
import { appName } from './content.ts'
import { RescueFailure } from './failure.ts'
import { type Language, type Messages, messagesFor, sentenceFor } from './messages.ts'
import { countContents } from './pages.ts'
import { folderIn, isUid, type PastedUids, tokenIn, uidIn, uidList, uidsInAddress } from './pasted.ts'
import type { Prompter } from './prompt.ts'
import type { RescueOptions } from './rescue.ts'
import { checkFolder, findUnfinished } from './unfinished.ts'
import { Workspace } from './workspace.ts'

/** Which language to go on in; asked in both. */
export async function chooseLanguage(prompter: Prompter, guess: Language): Promise<Language> {
  const initial = guess === 'ja' ? '1' : '2'
  const answer = await prompter.ask('言語 / Language   1) 日本語  2) English', initial)
  const plain = answer.normalize('NFKC')
  return plain === '2' || /^en/i.test(plain) ? 'en' : 'ja'
}

/** Offers to go on with a run that was stopped; its uids and folder then stand in the answer. */
export async function offerUnfinished(
  prompter: Prompter,
  language: Language,
  given: RescueArguments,
  place: string,
): Promise<RescueArguments> {
  const text = messagesFor(language)
  for (const run of await findUnfinished(place)) {
    if (run.origin !== (given.origin ?? '')) continue
    const question = text.prompts.goOn(run.dir, run.space, run.app)
    if (await prompter.confirm(question, text.prompts.yesNo, true)) {
      const { space, app, models, assetHosts, zip, dir } = run
      return { ...given, space, app, models, assetHosts, zip, out: dir }
    }
  }
  return given
}

/**
 * Asks for everything a rescue needs, trying each answer out at once, so that a mistyped uid or token is asked
 * again and not found out later. Values given by arguments, environment or an app before are the proposals.
 */
export async function askForOptions(
  prompter: Prompter,
  language: Language,
  given: RescueArguments,
): Promise<RescueOptions> {
  const text = messagesFor(language)
  const ask = text.prompts
  const known = await askAccess(prompter, given, text)
  const { space, app, apiToken, pasted } = known
  const access = { ...given, space, app }
  const cdnToken = await askCdnToken(prompter, access, apiToken, known.cdnToken, text)
  const tokens = { api: apiToken, cdn: cdnToken || undefined }
  const proposals = given.models.length > 0 ? given.models : [pasted.model].filter(Boolean)
  const models = await askModels(prompter, { ...access, tokens }, proposals, text)
  const assetHosts = await askHosts(prompter, given.assetHosts, text)
  const out = await askFolder(prompter, given.out || `newt-${space}-${app}`, { ...access, tokens }, text)
  if (await Workspace.isUnfinished(out)) prompter.say(ask.resume(out))
  const zip = given.zip || (await prompter.confirm(ask.zip, ask.yesNo))
  prompter.say('')
  return { ...given, space, app, tokens, models, assetHosts, out, zip }
}

interface KnownAccess {
  space: string
  app: string
  apiToken: string
  cdnToken: string
  pasted: PastedUids
}

/** Space, app and API token that work together. */
async function askAccess(prompter: Prompter, given: RescueArguments, text: Messages): Promise<KnownAccess> {
  const ask = text.prompts
  let { space, app } = given
  let apiToken = given.tokens.api
  let cdnToken = given.tokens.cdn ?? ''
  let pasted: PastedUids = { space: '', app: '', model: '' }
  /** An app meta that is refused although nothing was changed: its models may answer all the same. */
  let refusedBefore = ''
  for (;;) {
    if (!space) {
      const answer = await askUid(prompter, ask.space, '', text, 'space')
      space = answer.uid
      pasted = answer.pasted
    }
    app = app || (await askUid(prompter, ask.app, pasted.app, text, 'app')).uid
    apiToken = apiToken || (await askToken(prompter, ask.apiToken, text))
    prompter.say(ask.checking)
    const access = { ...given, space, app, tokens: { api: apiToken } }
    const failure = await tryOut(access, 'api', prompter, text)
    if (!failure) return { space, app, apiToken, cdnToken, pasted }
    const tried = JSON.stringify([failure.code, space, app, apiToken])
    const mayGoOn = ['app_not_found', 'not_allowed', 'strange_answer', 'server_trouble']
    if (mayGoOn.includes(failure.code) && tried === refusedBefore) {
      prompter.say(ask.goingOn)
      return { space, app, apiToken, cdnToken, pasted }
    }
    refusedBefore = tried
    if (failure.code === 'token_refused' && !(await isRefusedBy('cdn', access, apiToken))) {
      prompter.say(ask.wasCdnToken)
      cdnToken = apiToken
      apiToken = ''
      continue
    }
    prompter.say(sentenceFor(failure, text))
    prompter.say(ask.keep)
    prompter.say('')
    if (failure.code !== 'not_allowed') space = (await askUid(prompter, ask.space, space, text, 'space')).uid
    if (failure.code === 'app_not_found') app = (await askUid(prompter, ask.app, app, text, 'app')).uid
    if (failure.code === 'token_refused' || failure.code === 'not_allowed') apiToken = ''
  }
}

/** A CDN token that works; empty when there is none. */
async function askCdnToken(
  prompter: Prompter,
  access: RescueArguments,
  apiToken: string,
  given: string,
  text: Messages,
): Promise<string> {
  let token = given
  for (let first = true; ; first = false) {
    if (!(first && token)) token = await askToken(prompter, text.prompts.cdnToken, text, true)
    if (!token) return ''
    const tokens = { api: apiToken, cdn: token }
    const failure = await tryOut({ ...access, tokens }, 'cdn', prompter, text)
    // Anything but a refused token concerns the app's meta only, which the API has answered already.
    if (!failure || failure.code === 'app_not_found') return token
    const isApiToken = token === apiToken || !(await isRefusedBy('api', access, token))
    prompter.say(
      failure.code === 'token_refused' && isApiToken ? text.prompts.wasApiToken : sentenceFor(failure, text),
    )
  }
}

async function tryOut(
  access: Access,
  view: 'api' | 'cdn',
  prompter: Prompter,
  text: Messages,
): Promise<RescueFailure | undefined> {
  const connection = connect(access, () => {})
  try {
    const body = await connection.api.app(view)
    if (view === 'api') prompter.say(text.prompts.found(appName(body) || access.app))
    return undefined
  } catch (error) {
    if (error instanceof RescueFailure) return error
    throw error
  } finally {
    await connection.close()
  }
}

/** Whether the other API refuses a token too; true when in doubt. */
async function isRefusedBy(view: 'api' | 'cdn', access: Access, token: string): Promise<boolean> {
  const connection = connect({ ...access, tokens: { api: token, cdn: token } }, () => {})
  try {
    await connection.api.app(view)
    return false
  } catch {
    return true
  } finally {
    await connection.close()
  }
}

async function askModels(
  prompter: Prompter,
  access: Access,
  given: readonly string[],
  text: Messages,
): Promise<string[]> {
  const models = new Set<string>()
  let wanted = [...given]
  const connection = connect(access, () => {})
  try {
    for (;;) {
      if (wanted.length === 0 && models.size === 0)
        wanted = uidList(await prompter.askList(text.prompts.models))
      if (wanted.length === 0) {
        prompter.say(text.prompts.required)
        continue
      }
      for (const model of wanted) {
        try {
          if (!isUid(model)) throw new RescueFailure('model_not_found', { app: access.app, model })
          prompter.say(text.prompts.modelFound(model, await countContents(connection.api, 'api', model)))
          models.add(model)
        } catch (error) {
          prompter.say(sentenceFor(error, text))
        }
      }
      wanted = models.size > 0 ? uidList(await prompter.askList(text.prompts.moreModels)) : []
      if (models.size > 0 && wanted.length === 0) return [...models]
    }
  } finally {
    await connection.close()
  }
}

async function askHosts(prompter: Prompter, given: readonly string[], text: Messages): Promise<string[]> {
  for (;;) {
    const answer = await prompter.ask(text.prompts.assetHosts, given.join(' '))
    const hosts = answer.split(/[\s,、]+/).filter(Boolean)
    // A stray word is no host: none of the public ones is without a dot.
    const parsed = hosts.map((host) => (/[.:]/.test(host) ? parseHost(host) : undefined))
    if (parsed.every((host) => host !== undefined)) return parsed
    prompter.say(text.prompts.badHost)
  }
}

/** A folder that can be written to and is empty or ours. */
async function askFolder(
  prompter: Prompter,
  initial: string,
  { space, app, origin }: Access,
  text: Messages,
): Promise<string> {
  let proposal = initial
  for (;;) {
    const dir = folderIn(await prompter.ask(text.prompts.out, proposal))
    const failure = await checkFolder(dir, { space, app, origin: origin ?? '' })
    if (!failure) return dir
    prompter.say(sentenceFor(failure, text))
    if (failure.code === 'folder_complete' || failure.code === 'folder_of_another') proposal = next(dir)
  }
}

/** `newt-acme-blog` → `newt-acme-blog-2` → `newt-acme-blog-3`. */
function next(dir: string): string {
  const [, base = dir, number = '1'] = /^(.*?)(?:-(\d{1,3}))?$/.exec(dir) ?? []
  return `${base}-${Number(number) + 1}`
}

async function askUid(
  prompter: Prompter,
  question: string,
  initial: string,
  text: Messages,
  part: 'space' | 'app',
): Promise<{ uid: string; pasted: PastedUids }> {
  for (;;) {
    const answer = await prompter.ask(question, initial)
    const uid = uidIn(answer, part)
    if (isUid(uid)) return { uid, pasted: uidsInAddress(answer) }
    prompter.say(uid === '' ? text.prompts.required : text.prompts.badUid)
  }
}

async function askToken(
  prompter: Prompter,
  question: string,
  text: Messages,
  mayBeEmpty = false,
): Promise<string> {
  for (;;) {
    const answer = await prompter.askHidden(question)
    if (answer === '' && mayBeEmpty) return ''
    const token = tokenIn(answer)
    if (token !== undefined) return token
    prompter.say(answer === '' ? text.prompts.required : text.prompts.badToken)
  }
}
