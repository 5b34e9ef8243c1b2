import type { View } from '#archive/content.ts'
import { parseJson } from '#archive/json.ts'
import { isRecord } from '#archive/shapes.ts'
import { RescueFailure } from '#rescue/failure.ts'
import { type Messages, sentenceFor } from '#rescue/messages/messages.ts'
import { type Access, connect } from '#rescue/newt/connect.ts'
import { shorten, shownName } from '#shared/unicode.ts'
import type { RescueArguments } from './command.ts'
import { isUid, tokenIn, uidIn, uidsInAddress } from './pasted.ts'
import type { Prompter } from './prompt.ts'

export interface KnownAccess {
  space: string
  app: string
  apiToken: string
  /** A CDN token that was entered instead of the API token, or is known from earlier; otherwise empty. */
  cdnToken: string
  /** The model in a pasted URL; otherwise empty. */
  model: string
  /** Whether the run continues without the API. It then fetches only files that an earlier run found. */
  isGone?: boolean
}

/**
 * Number of failures after which an unfinished run may continue without the API. It is lower for apps after the first.
 */
const patience = { first: 2, next: 1 }

/**
 * Asks for space, app and API token until they work together. `refused` contains the keys of earlier failures and is
 * passed only for apps after the first. Such an app is given up if it does not work, and the result is undefined. An
 * unfinished run can continue without the API, because the pictures may still be available.
 */
export async function askAccess(
  prompter: Prompter,
  given: RescueArguments,
  text: Messages,
  refused: Set<string> | undefined,
  isUnfinished: boolean,
): Promise<KnownAccess | undefined> {
  const ask = text.prompts
  let { space, app } = given
  let apiToken = given.tokens.api
  let cdnToken = given.tokens.cdn ?? ''
  let pasted = { space: '', app: '', model: '' }
  /** Keys of earlier failures. If one repeats with unchanged input, the run may continue without the app's metadata. */
  const before = refused ?? new Set<string>()
  let wasInFront = false
  let failures = 0
  for (;;) {
    if (!space) {
      const answer = await askUid(prompter, ask.space, '', text, 'space')
      space = answer.uid
      pasted = answer.pasted
    }
    if (!app) {
      const answer = await askUid(prompter, ask.app, pasted.app, text, 'app')
      app = answer.uid
      pasted.model ||= answer.pasted.model
    }
    apiToken ||= await askToken(prompter, ask.apiToken, text, refused !== undefined || isUnfinished)
    if (!apiToken && !isUnfinished) return undefined
    if (apiToken) prompter.say(ask.checking)
    const access = { ...given, space, app, tokens: { api: apiToken } }
    const failure = apiToken
      ? await tryOut(access, 'api', prompter, text)
      : new RescueFailure('token_refused', { space, view: 'api' })
    if (!failure) return { space, app, apiToken, cdnToken, model: pasted.model }
    failures += 1
    if (isUnfinished && (!apiToken || failures >= patience[refused ? 'next' : 'first'])) {
      // A refused token is more likely a mistake than the end of the API.
      const initial = !apiToken || failure.code !== 'token_refused'
      if (await prompter.confirm(ask.withoutApi, ask.yesNo, initial))
        // The API is not called, so a space or app entered since the start is ignored. The folder of the unfinished run
        // determines both.
        return { space: given.space, app: given.app, apiToken, cdnToken, model: '', isGone: true }
      if (!apiToken) continue
    }
    if (failure.code === 'no_network') {
      prompter.say(ask.noNetwork(String(failure.details.host)))
      if (refused) await prompter.ask(ask.retry)
      else space = (await askUid(prompter, ask.retryOrSpace, space, text, 'space')).uid
      continue
    }
    // A proxy or firewall refused the request before it reached Newt, so the token may be correct.
    if (failure.code === 'not_allowed' && !failure.details.code && !wasInFront) {
      wasInFront = true
      prompter.say(sentenceFor(failure, text))
      await prompter.ask(ask.retry)
      continue
    }
    const tried = JSON.stringify([failure.code, space, app, apiToken])
    const mayGoOn = ['app_not_found', 'not_allowed', 'strange_answer', 'server_trouble']
    if (mayGoOn.includes(failure.code) && before.has(tried)) {
      prompter.say(ask.goingOn)
      return { space, app, apiToken, cdnToken, model: pasted.model }
    }
    if (refused === undefined) before.clear()
    before.add(tried)
    if (failure.code === 'token_refused' && !(await isRefusedBy('cdn', access, apiToken))) {
      prompter.say(ask.wasCdnToken)
      cdnToken = apiToken
      apiToken = ''
      continue
    }
    prompter.say(sentenceFor(failure, text))
    const isToken = failure.code === 'token_refused' || failure.code === 'not_allowed'
    if (refused !== undefined && !isToken) return undefined
    if (isToken) apiToken = ''
    if (refused !== undefined) continue
    prompter.say(ask.keep)
    prompter.say('')
    if (failure.code !== 'not_allowed') space = (await askUid(prompter, ask.space, space, text, 'space')).uid
    if (failure.code === 'app_not_found') app = (await askUid(prompter, ask.app, app, text, 'app')).uid
  }
}

/** Asks for a CDN token until one works. Returns an empty text if the user enters none. */
export async function askCdnToken(
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
    const failure = await withNetwork(prompter, text, async () => {
      const found = await tryOut({ ...access, tokens }, 'cdn', prompter, text)
      if (found?.code === 'no_network') throw found
      return found
    })
    // An unknown app only concerns the app's metadata, which is read with the API token.
    if (!failure || failure.code === 'app_not_found') return token
    const isApiToken = token === apiToken || !(await isRefusedBy('api', access, token))
    prompter.say(
      failure.code === 'token_refused' && isApiToken ? text.prompts.wasApiToken : sentenceFor(failure, text),
    )
  }
}

/** Runs the work again each time the user presses Enter, as long as there is no network. */
export async function withNetwork<T>(prompter: Prompter, text: Messages, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof RescueFailure) || error.code !== 'no_network') throw error
      prompter.say(text.prompts.noNetwork(String(error.details.host)))
      await prompter.ask(text.prompts.retry)
    }
  }
}

/** Returns the app's name without invisible characters and with at most 100 UTF-16 units; `''` if it has no name. */
function nameIn(body: Buffer): string {
  const app = parseJson(body)
  return isRecord(app) && typeof app.name === 'string' ? shorten(shownName(app.name.trim(), ''), 100) : ''
}

async function tryOut(
  access: Access,
  view: View,
  prompter: Prompter,
  text: Messages,
): Promise<RescueFailure | undefined> {
  const connection = connect(access, () => {})
  try {
    const body = await connection.api.app(view)
    if (view === 'api') prompter.say(text.prompts.found(nameIn(body) || access.app))
    return undefined
  } catch (error) {
    if (error instanceof RescueFailure) return error
    throw error
  } finally {
    await connection.close()
  }
}

/** Returns whether the API of `view` refuses the token; also true if the request fails for another reason. */
async function isRefusedBy(view: View, access: Access, token: string): Promise<boolean> {
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

async function askUid(
  prompter: Prompter,
  question: string,
  initial: string,
  text: Messages,
  part: 'space' | 'app',
) {
  for (;;) {
    const answer = await prompter.ask(question, initial)
    const uid = uidIn(answer, part)
    if (isUid(uid, part)) return { uid, pasted: uidsInAddress(answer) }
    const { required, badSpace, badUid } = text.prompts
    prompter.say(uid === '' ? required : part === 'space' ? badSpace : badUid)
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
