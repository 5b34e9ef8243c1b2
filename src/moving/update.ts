import { isCarried } from '#shared/contract/move-plans.ts'
import { chosenKinds, moveChangeKinds, moveOutcomes, type NewField } from '#shared/contract/move-updates.ts'
import type { Move } from '#shared/contract/moves.ts'
import type { Messages } from './messages.ts'
import type { Sentences } from './sentences.ts'
import type { Calls } from './server-calls.ts'
import type { PlannedNames } from './verify.ts'

export interface UpdateOptions {
  app: string
  /** Whether the source's state is used if both sides changed a document or file. */
  takesTheirs: boolean
  /** Whether documents that were deleted in the source are moved to the trash. */
  trashesGone: boolean
}

/** Thrown if no finished import from Newt created an app with that uid. */
export class NothingToUpdate extends Error {
  readonly app: string
  constructor(app: string) {
    super()
    this.app = app
  }
}

/**
 * Returns the import that created the app. For an import of several apps, returns the part of this app. Throws
 * `NothingToUpdate`.
 */
export async function findOrigin(calls: Calls, app: string): Promise<Pick<Move, '_id'>> {
  const done = (await calls.list()).filter(
    ({ updates, state }) => updates === null && (state === 'imported' || state === 'accepted'),
  )
  const found = done
    .flatMap(({ _id, source, app, apps }) => [
      { _id, kind: source?.kind, uid: app?.uid },
      ...apps.filter(({ chosen }) => chosen),
    ])
    .find(({ kind, uid }) => kind === 'newt' && uid === app)
  if (!found) throw new NothingToUpdate(app)
  return found
}

/**
 * Returns the names that the plan of the app's import assigned to it and its models. undefined: no finished import from
 * Newt created the app.
 */
export async function findPlannedNames(calls: Calls, app: string): Promise<PlannedNames | undefined> {
  try {
    const plan = await calls.plan((await findOrigin(calls, app))._id)
    if (isCarried(plan)) return undefined
    return { app: plan.app.name, models: new Map(plan.models.map(({ from, uid }) => [from, uid])) }
  } catch (error) {
    if (error instanceof NothingToUpdate) return undefined
    throw error
  }
}

interface Saying {
  calls: Calls
  text: Messages
  say: (line: string) => void
}

/** Sends the choices and prints the changes. */
export async function showChanges(
  move: Move,
  { takesTheirs, trashesGone }: UpdateOptions,
  { calls, text, say }: Saying,
): Promise<void> {
  const takes = { both: takesTheirs, gone: trashesGone }
  await calls.choose(move._id, {
    kinds: chosenKinds.map((kind) => ({ kind, takes: takes[kind] })),
    files: { takes: takesTheirs },
  })
  const { changes, counts, files } = await calls.changes(move._id)
  const { documents, assets } = changes.counts
  say(text.changes(changes.app.name, documents, assets))
  for (const { from, name, uid, unchanged, unknownFields } of changes.models) {
    const parts = moveChangeKinds.flatMap((kind) => {
      const count = counts
        .filter((one) => one.from === from && one.kind === kind)
        .reduce((sum, one) => sum + one.count, 0)
      return count > 0 ? [text.changeCount(kind, count)] : []
    })
    if (uid === null) say(text.modelIsGone(name, from))
    else if (parts.length > 0) say(text.changedModel(name, from, parts, unchanged))
    if (unknownFields.length > 0) say(text.unknownFields(name, unknownFields))
  }
  for (const { name, uid, fields } of changes.additions.models) say(text.newModel(name, uid, namesOf(fields)))
  for (const { name, uid, fields } of changes.additions.parts) say(text.newFields(name, uid, namesOf(fields)))
  if (changes.newModels.length > 0) say(text.newModels(changes.newModels))
  if (changes.missingModels.length > 0) say(text.missingModels(changes.missingModels))
  for (const { kind, count } of files) say(text.replacedFiles(kind, count, takesTheirs))
  for (const kind of chosenKinds)
    if (counts.some((one) => one.kind === kind)) say(text.chosen(kind, takes[kind]))
}

/** Returns each new field as its name and type. Fields that are not selected are in parentheses. */
const namesOf = (fields: readonly NewField[]): string[] =>
  fields.map(({ takes, field: { name, type } }) => (takes ? `${name} ${type}` : `(${name} ${type})`))

/** Prints the result of an update. Returns false if a field, document or file was refused. */
export async function showOutcome(
  move: Move,
  { calls, text, say, sentences }: Saying & { sentences: Sentences },
): Promise<boolean> {
  const { changes, counts, files } = await calls.changes(move._id)
  let isWhole = true
  const { models, parts } = changes.additions
  for (const { name, fields } of [...models, ...parts]) {
    const refused = fields.filter(({ outcome }) => outcome === 'refused')
    if (refused.length === 0) continue
    say(text.notMade(name, namesOf(refused)))
    isWhole = false
  }
  for (const outcome of moveOutcomes) {
    const count = counts.filter((one) => one.outcome === outcome).reduce((sum, one) => sum + one.count, 0)
    if (count > 0) say(text.outcome(outcome, count))
    if (count > 0 && outcome === 'refused') isWhole = false
  }
  for (const { outcome, count, examples } of files) {
    if (outcome === null) continue
    say(
      text.files(
        outcome,
        count,
        examples.map(({ fileName }) => fileName),
      ),
    )
    if (outcome === 'refused') isWhole = false
  }
  for (const problem of move.report?.problems ?? []) say(text.report(sentences.report(problem), problem.path))
  return isWhole
}
