import { type AnyMovePlan, isCarried, type MovePlan, type PlannedState } from '#shared/contract/move-plans.ts'
import { countChoices, leftOutKinds } from '#shared/publication-states.ts'
import { shownName } from '#shared/unicode.ts'
import type { Messages } from './messages.ts'
import type { Sentences } from './sentences.ts'
import type { Calls } from './server-calls.ts'

export interface PublicationOptions {
  /** Whether to publish contents of unknown state. Otherwise they become drafts. */
  publishUnknown: boolean
  /** Whether to confirm that the contents of a file in an unknown format are to be imported. */
  confirmContents: boolean
}

/** Stores the corrections of a plan if it differs from `before`. Returns the plan that applies. */
export async function storeMovePlan(
  calls: Calls,
  id: string,
  { before, plan }: { before: AnyMovePlan; plan: AnyMovePlan },
): Promise<AnyMovePlan> {
  if (plan === before) return plan
  const { app } = plan
  if (isCarried(plan)) return calls.correct(id, { app, ids: plan.ids })
  const { models, customTypes, confirmed } = plan
  return calls.correct(id, {
    app,
    models,
    customTypes,
    ...(confirmed === undefined ? {} : { confirmed }),
  })
}

/** Returns the plan with the choices of the command. Returns the same object if they change nothing. */
export function withPublication(plan: AnyMovePlan, options: PublicationOptions): AnyMovePlan {
  if (isCarried(plan)) return plan
  const confirms = plan.confirmed === false && options.confirmContents
  const differs = statesOf(plan).some((state) => choiceFor(state, options) !== state.choice)
  if (!confirms && !differs) return plan
  const models = plan.models.map(({ states, ...model }) => ({
    ...model,
    ...(states && { states: states.map((state) => ({ ...state, choice: choiceFor(state, options) })) }),
  }))
  return { ...plan, models, ...(confirms ? { confirmed: true } : {}) }
}

const statesOf = ({ models }: MovePlan): PlannedState[] => models.flatMap(({ states = [] }) => states)

/**
 * Returns the choice for a state. Without the option, contents of unknown state become drafts, even if an earlier run
 * chose to publish them.
 */
function choiceFor({ state, choice }: PlannedState, { publishUnknown }: PublicationOptions) {
  if (state !== 'unknown' || choice === 'leaveOut') return choice
  return publishUnknown ? 'publish' : 'draft'
}

interface Output {
  text: Messages
  sentences: Pick<Sentences, 'state' | 'leftOut'>
  say: (line: string) => void
}

const maxExamples = 3
const maxNames = 10

/** Prints the states of a model's contents with the choice for each state. */
export function printStates(states: readonly PlannedState[], { text, sentences, say }: Output): void {
  for (const { examples, statement, ...state } of states) {
    // Titles and statements are from the file, and could control the terminal.
    const titles = examples
      .map((title) => shownName(title, ''))
      .filter((title) => title !== '')
      .slice(0, maxExamples)
    const hasMore = state.count > titles.length
    say(
      text.state({
        ...state,
        name: sentences.state(state.state),
        statement: shownName(statement, ''),
        examples: titles,
        hasMore,
      }),
    )
  }
}

/**
 * Prints how many contents are published, become drafts and are left out, and lists other data that is not imported.
 */
export function printPublication(plan: AnyMovePlan, { text, sentences, say }: Output): void {
  if (isCarried(plan)) return
  const states = statesOf(plan)
  const { publish, draft, leaveOut } = countChoices(plan.models)
  if (states.length > 0) say(text.publication(publish, draft, leaveOut))
  const unknown = countChoices([{ states: states.filter(({ state }) => state === 'unknown') }])
  if (unknown.publish > 0) say(text.unknownArePublished(unknown.publish))
  if (unknown.draft > 0) say(text.unknownAreDrafts(unknown.draft))
  const { leftOut = [], confirmed } = plan
  if (leftOut.length > 0) say(text.leftOut)
  for (const kind of leftOutKinds) {
    const parts = leftOut.filter((part) => part.kind === kind)
    if (parts.length === 0) continue
    const names = parts
      .slice(0, maxNames)
      .map(({ name, count }) => text.namedCount(shownName(name, '?'), count))
    say(text.leftOutKind(sentences.leftOut(kind), names, parts.length - names.length))
  }
  if (confirmed === false) say(text.unconfirmed)
}
