import { type Converting, inNewestShape } from '#server/content/conversion.ts'
import { convertWithMarkdown } from '#server/content/text-work.ts'
import type { Db, ModelScope } from '#server/db/scope.ts'
import { Pace } from '#server/lib/pace.ts'
import { type Conversion, convertValue, type FieldChange } from '#shared/fields/convert.ts'
import { type DocumentValues, isLastPage, pagesOf, readPage, readValues } from './models.values.ts'

/** What a change of a model would lose, field by field (uid of the old field). */
export interface Loss {
  field: string
  documents: number
  reason: 'removed' | 'typeChanged' | 'multipleOff'
}

/** Losses by `_id` of the field. */
type Losses = Map<string, Loss>

/** How many documents (not counting the trash) would lose something by these changes, per field. */
export async function countLosses(
  db: Db,
  scope: ModelScope,
  model: Converting,
  changes: FieldChange[],
): Promise<Loss[]> {
  const losses: Losses = new Map()
  if (changes.length === 0) return []
  for await (const page of pagesOf(db, scope, fieldIdsOf(changes))) await add(losses, model, changes, page)
  return inOrder(losses, changes)
}

/**
 * The same of a large model, in short transactions that hold nothing anybody waits for: `inTurn` runs each of them.
 */
export async function countLossesInTurns(
  inTurn: <T>(work: (db: Db) => Promise<T>) => Promise<T>,
  scope: ModelScope,
  model: Converting,
  changes: FieldChange[],
): Promise<Loss[]> {
  const losses: Losses = new Map()
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after
    const page = await inTurn((db) => readPage(db, scope, fieldIdsOf(changes), from))
    await add(losses, model, changes, page)
    after = isLastPage(page) ? undefined : page.at(-1)?.id
  }
  return inOrder(losses, changes)
}

/** What these documents alone would lose of fields that nobody has been told of. */
export async function findMoreLosses(
  db: Db,
  scope: ModelScope,
  model: Converting,
  changes: FieldChange[],
  ids: string[],
  told: Loss[],
): Promise<Loss[]> {
  const known = new Set(told.map(({ field }) => field))
  const open = changes.filter(({ from }) => !known.has(from.uid))
  if (open.length === 0 || ids.length === 0) return []
  const losses: Losses = new Map()
  await add(losses, model, open, await readValues(db, scope, fieldIdsOf(open), ids))
  return inOrder(losses, open)
}

const fieldIdsOf = (changes: FieldChange[]) => changes.map(({ from }) => from._id)

const inOrder = (losses: Losses, changes: FieldChange[]) =>
  changes.flatMap(({ from }) => losses.get(from._id) ?? [])

async function add(
  losses: Losses,
  model: Converting,
  changes: FieldChange[],
  documents: DocumentValues[],
): Promise<void> {
  const pace = new Pace()
  for (const { trashed, shape, draft, pub } of documents) {
    await pace.giveWay()
    if (trashed) continue
    const states = []
    for (const values of [draft, pub])
      if (values && Object.keys(values).length > 0) states.push(await inNewestShape(model, shape, values))
    if (states.length === 0) continue
    for (const change of changes) {
      const reason = await lossOf(
        change,
        states.map((values) => values[change.from._id]),
      )
      if (!reason) continue
      const { _id, uid } = change.from
      const loss = losses.get(_id) ?? { field: uid, documents: 0, reason }
      losses.set(_id, { ...loss, documents: loss.documents + 1 })
    }
  }
}

async function lossOf({ from, to }: FieldChange, values: unknown[]): Promise<Conversion['lost'] | undefined> {
  return convertWithMarkdown((environment) =>
    values.map((value) => convertValue(from, to, value, environment).lost).find((reason) => reason !== null),
  )
}
