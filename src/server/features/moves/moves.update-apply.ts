import type { AppContext } from '#server/access/context.ts'
import { openForImport } from '#server/features/documents/documents.service.ts'
import { type Followed, followDocuments } from '#server/features/documents/followed-documents.service.ts'
import {
  type CarryProblem,
  inApp,
  insertCarryModels,
  Problems,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { isCarried } from '#shared/contract/move-plans.ts'
import type { AppChanges } from '#shared/contract/move-updates.ts'
import { AppError } from '#shared/errors.ts'
import { type Base, findBases, forgetBases, putBases, sourceStateOf } from './moves.bases.ts'
import {
  type ChangeRow,
  listLeftOut,
  listPending,
  type Outcome,
  settleChanges,
} from './moves.changes.repository.ts'
import type { Converted } from './moves.documents.ts'
import type { Incoming, IncomingDocument } from './moves.incoming.ts'
import { makeAdditions } from './moves.make.ts'
import { findChanges, findPlan, lockMove, updateMove } from './moves.repository.ts'
import { type DocumentHere, documentsHere } from './moves.update-here.ts'
import { type UpdatedModel, updatedModels } from './moves.update-models.ts'
import { listMade } from './moves.update-plan.ts'
import { isImport, type PlannedParts, type Updating } from './moves.updating.ts'

/** Documents in one transaction: each is locked, and has a revision of its own. */
const batchSize = 50

/** How often values are made anew because somebody changes their model. */
const mostTries = 5

/** A change with what is there now; null where that is gone. */
interface Step {
  change: ChangeRow
  content: IncomingDocument | null
}

/** With the `_id`s of the fields that are known there: the others keep their values. */
type ConvertedHere = Converted & { fields: ReadonlySet<string> }

/**
 * Brings what was chosen: models and fields that are new, files that are not here or are others there, then documents, model by model. May be cut off anywhere and goes on with what has no
 * outcome yet. Answers how many files came, what is not as it was there, and into which models it went.
 */
export async function applyUpdate(
  planned: Updating,
  incoming: Incoming,
  /** With the app and what became of everything that was to be made, in the transaction that makes it. */
  onMade: (app: AppContext, additions: AppChanges['additions']) => Promise<void> = async () => {},
): Promise<{ assets: number; problems: CarryProblem[]; models: Map<string, UpdatedModel> }> {
  const updating = { ...planned, plan: await makeChosen(planned, onMade) }
  const { db, scope, moveId, plan, progress } = updating
  const models = await updatedModels(updating, plan)
  await listMade(updating, incoming, models)
  const pending = new Map<string, Map<string, ChangeRow>>()
  for (const [from, { model }] of models)
    pending.set(from, await listPending(db, scope, moveId, model.scope.modelId))
  const { assets, problems } = await incoming.bringFiles()
  const total = [...pending.values()].reduce((sum, { size }) => sum + size, 0)
  let done = 0
  for (const [from, updated] of models) {
    const changes = pending.get(from)
    if (!changes || changes.size === 0) continue
    const work = new UpdatingModel(updating, incoming, updated)
    await work.run(changes, async (count) => {
      done += count
      await progress(done, total)
    })
  }
  return { assets, problems: [...problems, ...(await leftOut(updating, models))], models }
}

/** Makes new models and fields, once. Answers the plan of the app with them. */
async function makeChosen(
  updating: Updating,
  onMade: (app: AppContext, additions: AppChanges['additions']) => Promise<void>,
): Promise<PlannedParts> {
  const { moveId, originId, scope } = updating
  return inApp(updating, async (app) => {
    const origin = await lockMove(app.db, scope, originId)
    const changes = await findChanges(app.db, scope, moveId)
    const stored = isImport(updating) ? null : await findPlan(app.db, scope, originId)
    const plan = stored && !isCarried(stored) ? stored : updating.plan
    if (!changes) return plan
    const { models, parts } = changes.additions
    const isSettled = [...models, ...parts.flatMap(({ fields }) => fields)].every(
      ({ outcome }) => outcome !== null,
    )
    if (isSettled) return plan
    const made = await makeAdditions(app, plan, changes.additions)
    await onMade(app, made.additions)
    await updateMove(app.db, scope, moveId, { changes: { ...changes, additions: made.additions } })
    // The plan of an import knows all that is there from the beginning.
    if (isImport(updating)) return plan
    // As long as the app can be taken back as a whole, these models go with it.
    if (origin?.state === 'imported') await insertCarryModels(app.db, scope, originId, made.models)
    if (stored && !isCarried(stored))
      await updateMove(app.db, scope, originId, { plan: { ...stored, ...made.plan } })
    return made.plan
  })
}

async function leftOut({ db, scope, moveId }: Updating, models: Map<string, UpdatedModel>) {
  const problems = new Problems()
  const names = new Map([...models].map(([from, { model }]) => [model.scope.modelId, from]))
  for (const { modelId, id, leftOut } of await listLeftOut(db, scope, moveId))
    for (const key of leftOut) problems.add('valueLeftOut', `${names.get(modelId) ?? ''}.${key}`, id)
  return problems.list()
}

interface WhatIsHere {
  bases: ReadonlyMap<string, Base>
  here: ReadonlyMap<string, DocumentHere>
}

class UpdatingModel {
  readonly #updating: Updating
  readonly #incoming: Incoming
  #updated: UpdatedModel

  constructor(updating: Updating, incoming: Incoming, updated: UpdatedModel) {
    this.#updating = updating
    this.#incoming = incoming
    this.#updated = updated
  }

  async run(changes: Map<string, ChangeRow>, onDone: (count: number) => Promise<void>): Promise<void> {
    let batch: Step[] = []
    const add = async (step: Step) => {
      changes.delete(step.change.id)
      if (batch.push(step) >= batchSize) await write()
    }
    const write = async () => {
      await this.#writeBatch(batch)
      await onDone(batch.length)
      batch = []
    }
    for await (const content of this.#incoming.documents(this.#updated.from)) {
      const change = changes.get(content.id)
      if (change && change.kind !== 'gone') await add({ change, content })
    }
    // What is gone there has no content.
    for (const change of [...changes.values()]) await add({ change, content: null })
    if (batch.length > 0) await write()
  }

  /** Values are made with the fields as they are: whoever changes these meanwhile has that done anew. */
  async #writeBatch(batch: readonly Step[]): Promise<void> {
    for (let left = mostTries; ; left--) {
      const converted = new Map<string, ConvertedHere>()
      for (const { change, content } of batch)
        if (content) converted.set(change.id, await this.#convert(content))
      if (await this.#write(batch, converted)) return
      if (left === 0) throw new AppError('FieldIsBeingConverted')
      const { plan } = this.#updating
      const updated = (await updatedModels(this.#updating, plan)).get(this.#updated.from)
      if (!updated) throw new AppError('NotFound')
      this.#updated = updated
    }
  }

  async #convert(content: IncomingDocument): Promise<ConvertedHere> {
    const { from, fields } = this.#updated
    const planned = this.#updating.plan.models.find((model) => model.from === from)?.fields ?? []
    const known = new Set(planned.map((field) => field.from))
    const told = fields.filter((field) => known.has(field.from) || Object.hasOwn(content.values, field.from))
    return { ...(await content.convert(this.#updated)), fields: new Set(told.map(({ field }) => field._id)) }
  }

  /** False: the model is another one by now, nothing was written. */
  #write(batch: readonly Step[], converted: ReadonlyMap<string, ConvertedHere>): Promise<boolean> {
    const { moveId } = this.#updating
    const { scope, version } = this.#updated.model
    return inApp(this.#updating, async (ctx) => {
      const session = await openForImport(ctx, this.#updated.model.uid)
      if (session.model.version !== version) return false
      const changes = batch.map(({ change }) => change)
      const around = await this.#whatIsHere(ctx, changes)
      const followed = await followDocuments(session, this.#following(changes, converted, around))
      const outcomes = changes.map((change) => outcomeOf(change, followed.get(change.id), converted))
      await this.#leave(ctx, outcomes, converted, { ...around, followed })
      if (!(await settleChanges(ctx.db, ctx.scope, moveId, scope.modelId, outcomes)))
        throw new Error('Another run of this update is at work')
      return true
    })
  }

  async #whatIsHere(ctx: AppContext, changes: readonly ChangeRow[]): Promise<WhatIsHere> {
    const { modelId } = this.#updated.model.scope
    const ids = changes.map(({ id }) => id)
    const bases = await findBases(ctx.db, ctx.scope, modelId, ids)
    return { bases, here: await documentsHere(ctx.db, ctx.scope, modelId, ids) }
  }

  #following(
    changes: readonly ChangeRow[],
    converted: ReadonlyMap<string, ConvertedHere>,
    { bases, here }: WhatIsHere,
  ): Parameters<typeof followDocuments>[1] {
    const taken = changes.filter(({ takes }) => takes)
    const written = taken.flatMap((change) => {
      const { document, fields = new Set<string>() } = converted.get(change.id) ?? {}
      return document ? [{ change, document, fields }] : []
    })
    return {
      gone: taken.flatMap(({ kind, id, version }) => (kind === 'gone' ? [{ id, expected: version }] : [])),
      made: written.flatMap(({ change: { kind, id }, document }) =>
        kind === 'new' && !here.has(id) ? [document] : [],
      ),
      changed: written.flatMap(({ change: { kind, id, version }, document, fields }) => {
        if (kind === 'new') return []
        // Whoever ordered it here is overruled by who ordered it there only.
        const base = bases.get(id)
        const isOrdered = base === undefined || base.customOrder !== document.customOrder
        const customOrder = isOrdered ? document.customOrder : (here.get(id)?.customOrder ?? null)
        return [{ document: { ...document, customOrder, fields }, expected: version }]
      }),
    }
  }

  /** Writes down what the source says now, so that nobody is asked again before it says something else. */
  async #leave(
    { db, scope }: AppContext,
    outcomes: readonly Outcome[],
    converted: ReadonlyMap<string, ConvertedHere>,
    { bases, followed }: { bases: ReadonlyMap<string, Base>; followed: ReadonlyMap<string, Followed> },
  ): Promise<void> {
    // What other moves have brought is theirs to tell apart.
    if (isImport(this.#updating)) return
    const { originId: moveId } = this.#updating
    const { modelId } = this.#updated.model.scope
    const settled = outcomes.filter(({ outcome }) => outcome === 'taken' || outcome === 'kept')
    const left = settled.flatMap(({ id }) => {
      const document = converted.get(id)?.document
      const now = followed.get(id)
      const version = now && 'version' in now ? now.version : (bases.get(id)?.version ?? 0)
      return document ? [{ id, version, ...sourceStateOf(document) }] : []
    })
    await putBases(db, scope, { moveId, modelId }, left)
    const gone = settled.flatMap(({ id }) => (converted.has(id) ? [] : [id]))
    await forgetBases(db, scope, modelId, gone)
  }
}

function outcomeOf(
  { id, takes }: ChangeRow,
  followed: Followed | undefined,
  converted: ReadonlyMap<string, ConvertedHere>,
): Outcome {
  const outcome = { id, problem: null, leftOut: [] }
  if (!takes) return { ...outcome, outcome: 'kept' }
  // One that is here by now although it was to be made, or has no content any more.
  if (!followed || 'edited' in followed) return { ...outcome, outcome: 'edited' }
  if ('refused' in followed) return { ...outcome, outcome: 'refused', problem: followed.refused }
  return { ...outcome, outcome: 'taken', leftOut: converted.get(id)?.leftOut ?? [] }
}
