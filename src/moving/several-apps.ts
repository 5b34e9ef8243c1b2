import { isCarried, type MovePlan, moveProblems } from '#shared/contract/move-plans.ts'
import type { Move, PlannedApp } from '#shared/contract/moves.ts'
import { type NamedApp, requireKnown } from './chosen-apps.ts'
import type { Messages } from './messages.ts'
import {
  type PublicationOptions,
  printPublication,
  printStates,
  storeMovePlan,
  withPublication,
} from './publication.ts'
import type { Sentences } from './sentences.ts'
import type { Calls } from './server-calls.ts'

interface Around extends PublicationOptions {
  calls: Calls
  text: Messages
  sentences: Sentences
  say: (line: string) => void
  /** Apps to import. Empty: the apps that were chosen before. */
  apps: readonly NamedApp[]
}

/** Chooses the apps of an import with several apps and prints the plan. Returns whether the import can be started. */
export async function showApps({ _id: id }: Move, around: Around): Promise<boolean> {
  const { calls, text, sentences, say, apps: named } = around
  let plan = await calls.apps(id)
  if (named.length > 0) {
    requireKnown(
      named,
      plan.apps.map(({ source }) => source.app),
    )
    plan = await calls.chooseApps(
      id,
      plan.apps.map(({ _id, name, uid, source }) => {
        const found = named.find(({ from }) => from === source.app)
        return { _id, name, uid: found?.uid ?? uid, chosen: found !== undefined }
      }),
    )
  }
  const plans = await correctPlans(plan.apps, around)
  if (plans.size > 0) plan = await calls.apps(id)
  say(text.apps(plan.apps.length))
  for (const app of plan.apps) showApp(app, plans.get(app._id), around)
  for (const { app, field, to, count } of plan.links)
    say(text.problem(sentences.kind('note'), text.link({ app, field, to: to.app, here: to.here, count })))
  const chosen = plan.apps.filter((app) => app.chosen)
  if (chosen.length === 0) say(text.noApps)
  return (
    chosen.length > 0 &&
    chosen.every(({ problems }) => problems.every(({ code }) => moveProblems[code] !== 'stops'))
  )
}

/**
 * Applies the choices about publication to the chosen apps whose sources have states. Returns the plans of these apps
 * by `_id`.
 */
async function correctPlans(apps: readonly PlannedApp[], around: Around): Promise<Map<string, MovePlan>> {
  const { calls } = around
  const plans = new Map<string, MovePlan>()
  for (const { _id: id, chosen, kind } of apps) {
    if (!chosen || kind === 'newt' || kind === 'imori') continue
    const before = await calls.plan(id)
    const plan = await storeMovePlan(calls, id, { before, plan: withPublication(before, around) })
    if (!isCarried(plan)) plans.set(id, plan)
  }
  return plans
}

function showApp(
  { name, uid, chosen, counts, models, problems, warnings }: PlannedApp,
  plan: MovePlan | undefined,
  around: Around,
): void {
  const { text, sentences, say } = around
  if (!chosen) {
    say(text.appLeft(name, uid))
    return
  }
  say(text.app(name, uid, counts.documents, counts.assets))
  const indented = { text, sentences, say: (line: string) => say(`  ${line}`) }
  for (const model of models) {
    say(`  ${text.modelOfApp(model.name, model.uid, model.documents)}`)
    printStates(plan?.models.find(({ uid }) => uid === model.uid)?.states ?? [], indented)
  }
  if (plan) printPublication(plan, indented)
  for (const { kind, sentence } of sentences.problems(problems)) say(`  ${text.problem(kind, sentence)}`)
  if (warnings > 0) say(`  ${text.warnings(warnings)}`)
}
