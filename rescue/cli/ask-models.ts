import { RescueFailure } from '#rescue/failure.ts'
import { type Messages, sentenceFor } from '#rescue/messages/messages.ts'
import { type Access, connect } from '#rescue/newt/connect.ts'
import { countContents } from '#rescue/newt/pages.ts'
import { withNetwork } from './ask-access.ts'
import { isUid, uidList } from './pasted.ts'
import type { Prompter } from './prompt.ts'

/**
 * Asks for the models to save, and checks each of them. The API cannot list models, and a model that the user omits may
 * be lost. Therefore the question is asked even if some models are known (`given`).
 */
export async function askModels(
  prompter: Prompter,
  access: Access,
  given: readonly string[],
  text: Messages,
): Promise<string[]> {
  const ask = text.prompts
  const models = new Set<string>()
  const add = async (wanted: readonly string[]) => {
    for (const model of wanted) {
      if (models.has(model)) continue
      try {
        prompter.say(
          ask.modelFound(model, await withNetwork(prompter, text, () => contentsOf(access, model))),
        )
        models.add(model)
      } catch (error) {
        prompter.say(sentenceFor(error, text))
      }
    }
  }
  await add(given)
  for (let isFirst = true; ; isFirst = false) {
    const soFar = models.size > 0 ? [ask.moreModels([...models])] : []
    const question = isFirst || models.size === 0 ? [ask.models, ...soFar] : soFar
    const wanted = uidList(await prompter.askList(question.join('\n')))
    await add(wanted)
    if (wanted.length > 0) continue
    if (models.size > 0) break
    prompter.say(ask.required)
  }
  prompter.say(ask.onlyModels([...models]))
  prompter.say('')
  return [...models]
}

async function contentsOf(access: Access, model: string): Promise<number | undefined> {
  if (!isUid(model, 'model')) throw new RescueFailure('model_not_found', { app: access.app, model })
  // A separate connection is used, because a connection that has already received a response retries for minutes when
  // the network fails.
  const connection = connect(access, () => {})
  try {
    return await countContents(connection.api, 'api', model)
  } finally {
    await connection.close()
  }
}
