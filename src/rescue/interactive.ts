import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { parseHost, type RescueArguments } from './cli.ts'
import { type Access, connect } from './connect.ts'
import { appName } from './content.ts'
import { RescueFailure } from './failure.ts'
import { type Language, type Messages, messagesFor, sentenceFor } from './messages.ts'
import { countContents } from './pages.ts'
import type { Prompter } from './prompt.ts'
import type { RescueOptions } from './rescue.ts'

/** Which language to go on in; asked in both. */
export async function chooseLanguage(prompter: Prompter, guess: Language): Promise<Language> {
  const initial = guess === 'ja' ? '1' : '2'
  const answer = await prompter.ask('言語 / Language   1) 日本語  2) English', initial)
  return answer === '2' || /^en/i.test(answer) ? 'en' : 'ja'
}

/**
 * Asks for everything a rescue needs, trying each answer out at once, so that a mistyped uid or token is asked
 * again and not found out later. Values given by arguments or environment are the proposals.
 */
export async function askForOptions(
  prompter: Prompter,
  language: Language,
  given: RescueArguments,
): Promise<RescueOptions> {
  const text = messagesFor(language)
  const ask = text.prompts
  prompter.say('')
  prompter.say(ask.welcome)
  prompter.say(ask.hint)
  prompter.say('')
  const { origin, hostMap, concurrency, assetHosts: namedHosts, proxy } = given
  const settings = { origin, hostMap, concurrency, assetHosts: namedHosts, proxy }
  let { space, app } = given
  let apiToken = given.tokens.api
  for (;;) {
    space = space || (await askUid(prompter, ask.space, '', text, 0))
    app = app || (await askUid(prompter, ask.app, '', text, 1))
    apiToken = apiToken || (await askToken(prompter, ask.apiToken, text))
    prompter.say(ask.checking)
    const failure = await tryOut(
      { ...settings, space, app, tokens: { api: apiToken } },
      'api',
      prompter,
      text,
    )
    if (!failure) break
    prompter.say(sentenceFor(failure, text))
    prompter.say(ask.keep)
    prompter.say('')
    if (failure.code !== 'not_allowed') space = await askUid(prompter, ask.space, space, text, 0)
    if (failure.code === 'app_not_found') app = await askUid(prompter, ask.app, app, text, 1)
    if (failure.code === 'token_refused' || failure.code === 'not_allowed') apiToken = ''
  }
  let cdnToken = given.tokens.cdn ?? ''
  for (let first = true; ; first = false) {
    if (!(first && cdnToken)) cdnToken = await prompter.askHidden(ask.cdnToken)
    if (!cdnToken) break
    const tokens = { api: apiToken, cdn: cdnToken }
    const failure = await tryOut({ ...settings, space, app, tokens }, 'cdn', prompter, text)
    if (!failure) break
    prompter.say(sentenceFor(failure, text))
  }
  const tokens = { api: apiToken, cdn: cdnToken || undefined }
  const models = await askModels(prompter, { ...settings, space, app, tokens }, given.models, text)
  const assetHosts = await askHosts(prompter, given.assetHosts, text)
  const out = await prompter.ask(ask.out, given.out || `newt-${space}-${app}`)
  if (await exists(join(out, '.rescue'))) prompter.say(ask.resume(out))
  const zip = given.zip || (await prompter.confirm(ask.zip, ask.yesNo))
  prompter.say('')
  return { ...given, space, app, tokens, models, assetHosts, out, zip }
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
      if (wanted.length === 0 && models.size === 0) wanted = uidList(await prompter.ask(text.prompts.models))
      if (wanted.length === 0) {
        prompter.say(text.prompts.required)
        continue
      }
      let wrong = false
      for (const model of wanted) {
        try {
          if (!isUid(model)) throw new RescueFailure('model_not_found', { app: access.app, model })
          prompter.say(text.prompts.modelFound(model, await countContents(connection.api, 'api', model)))
          models.add(model)
        } catch (error) {
          prompter.say(sentenceFor(error, text))
          wrong = true
        }
      }
      wanted = []
      if (!wrong) return [...models]
      if (models.size > 0) wanted = uidList(await prompter.ask(text.prompts.moreModels))
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
    const parsed = hosts.map(parseHost)
    if (parsed.every((host) => host !== undefined)) return parsed
    prompter.say(text.prompts.again)
  }
}

/** A uid, also when the admin's whole address was pasted; `part` 0 is the space, 1 the app. */
async function askUid(
  prompter: Prompter,
  question: string,
  initial: string,
  text: Messages,
  part: 0 | 1,
): Promise<string> {
  for (;;) {
    const answer = await prompter.ask(question, initial)
    const inAddress = /app\.newt\.so\/([\w-]+)(?:\/apps?\/([\w-]+))?/.exec(answer)
    const uid = inAddress?.[part + 1] ?? answer.replace(/\.(?:api|cdn)?\.?newt\.so.*$/, '')
    if (isUid(uid)) return uid
    prompter.say(uid === '' ? text.prompts.required : text.prompts.badUid)
  }
}

async function askToken(prompter: Prompter, question: string, text: Messages): Promise<string> {
  for (;;) {
    const token = await prompter.askHidden(question)
    if (/^[\x21-\x7e]+$/.test(token)) return token
    prompter.say(token === '' ? text.prompts.required : text.prompts.again)
  }
}

function uidList(answer: string): string[] {
  const words = answer.split(/[\s,、，]+/).filter(Boolean)
  return words.map((word) => /app\.newt\.so\/.*\/models\/([\w-]+)/.exec(word)?.[1] ?? word)
}

function isUid(uid: string): boolean {
  return /^[\w-]{1,64}$/.test(uid)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
