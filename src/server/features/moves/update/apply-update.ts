import type { AppContext } from '#server/access/context.ts'
import { openForImport } from '#server/features/documents/documents.service.ts'
import { type Followed, followDocuments } from '#server/features/documents/followed-documents.service.ts'
import { type CarryProblem, inApp, Problems } from '#server/features/portable-apps/portable-apps.service.ts'
import type { PlannedParts } from '#shared/contract/move-plans.ts'
import type { AppChanges, NotImported } from '#shared/contract/move-updates.ts'
import { AppError } from '#shared/errors.ts'
import { makeAdditions } from '../plan/make-planned.ts'
import { type Base, findBases, sourceStateOf } from '../store/bases.repository.ts'
import {
  type ChangeRow,
  listLeftOut,
  listPending,
  type Outcome,
  settleChanges,
} from '../store/changed-documents.repository.ts'
import { type ExistingDocument, existingDocuments } from '../store/existing.repository.ts'
import { findChanges, updateMove } from '../store/moves.repository.ts'
import { type ConvertedHere, convertHere } from './convert-here.ts'
import type { Incoming, IncomingDocument } from './incoming-contents.ts'
import { listMade } from './plan-update.ts'
import type { Updating } from './update-context.ts'
import { type UpdatedModel, updatedModels } from './updated-models.ts'

/** Number of documents in one transaction. Each is locked and gets up to two revisions. */
const batchSize = 50

/** Maximum number of retries when the model changes during conversion. */
const mostTries = 5

/** A change with the document at the source. `content` null: the document was deleted there. */
interface Step {
  change: ChangeRow
  content: IncomingDocument | null
}

/**
 * Imports the chosen changes: new models and fields, files, then documents, model by model. Can be interrupted at any
 * time, and resumes with changes that have no outcome yet. Returns the number of files, the problems, and the models.
 */
export async function applyUpdate(
  planned: Updating,
  incoming: Incoming,
  /**
   * Called in the transaction that creates the additions, with their outcomes. Returns the parts that could not be
   * imported.
   */
  onMade: (app: AppContext, additions: AppChanges['additions']) => Promise<NotImported[]> = async () => [],
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

/**
 * Creates the chosen models and fields, unless an earlier run has done so. Returns the plan of the app extended by
 * them.
 */
async function makeChosen(
  updating: Updating,
  onMade: (app: AppContext, additions: AppChanges['additions']) => Promise<NotImported[]>,
): Promise<PlannedParts> {
  const { moveId, scope, baseline } = updating
  return inApp(updating, async (app) => {
    const { plan, adopt } = await baseline.openPlan(app.db)
    const changes = await findChanges(app.db, scope, moveId)
    if (!changes) return plan
    const { models, parts } = changes.additions
    const isSettled = [...models, ...parts.flatMap(({ fields }) => fields)].every(
      ({ outcome }) => outcome !== null,
    )
    if (isSettled) return plan
    const made = await makeAdditions(app, plan, changes.additions)
    const notImported = [...(await onMade(app, made.additions)), ...changes.notImported]
    await updateMove(app.db, scope, moveId, {
      changes: { ...changes, additions: made.additions, notImported },
    })
    return adopt(made)
  })
}

async function leftOut({ db, scope, moveId }: Updating, models: Map<string, UpdatedModel>) {
  const problems = new Problems()
  const names = new Map([...models].map(([from, { model }]) => [model.scope.modelId, from]))
  for (const { modelId, id, leftOut } of await listLeftOut(db, scope, moveId))
    for (const key of leftOut) problems.add('valueLeftOut', `${names.get(modelId) ?? ''}.${key}`, id)
  return problems.list()
}

interface Existing {
  bases: ReadonlyMap<string, Base>
  documents: ReadonlyMap<string, ExistingDocument>
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
    // Documents deleted at the source have no content.
    for (const change of [...changes.values()]) await add({ change, content: null })
    if (batch.length > 0) await write()
  }

  /** Converts the values for the current fields and writes them. Retries if the model changes meanwhile. */
  async #writeBatch(batch: readonly Step[]): Promise<void> {
    for (let left = mostTries; ; left--) {
      const converted = new Map<string, ConvertedHere>()
      for (const { change, content } of batch)
        if (content) converted.set(change.id, await convertHere(content, this.#updated, this.#updating.plan))
      if (await this.#write(batch, converted)) return
      if (left === 0) throw new AppError('FieldIsBeingConverted')
      const { plan } = this.#updating
      const updated = (await updatedModels(this.#updating, plan)).get(this.#updated.from)
      if (!updated) throw new AppError('NotFound')
      this.#updated = updated
    }
  }

  /** Returns false without writing if the model has changed. */
  #write(batch: readonly Step[], converted: ReadonlyMap<string, ConvertedHere>): Promise<boolean> {
    const { moveId } = this.#updating
    const { scope, version } = this.#updated.model
    return inApp(this.#updating, async (ctx) => {
      const session = await openForImport(ctx, this.#updated.model.uid)
      if (session.model.version !== version) return false
      const changes = batch.map(({ change }) => change)
      const existing = await this.#findExisting(ctx, changes)
      const followed = await followDocuments(session, this.#following(changes, converted, existing))
      const outcomes = changes.map((change) => outcomeOf(change, followed.get(change.id), converted))
      await this.#leave(ctx, outcomes, converted, { ...existing, followed })
      if (!(await settleChanges(ctx.db, ctx.scope, moveId, scope.modelId, outcomes)))
        throw new Error('Another run of this update is at work')
      return true
    })
  }

  async #findExisting(ctx: AppContext, changes: readonly ChangeRow[]): Promise<Existing> {
    const { modelId } = this.#updated.model.scope
    const ids = changes.map(({ id }) => id)
    const bases = await findBases(ctx.db, ctx.scope, modelId, ids)
    return { bases, documents: await existingDocuments(ctx.db, ctx.scope, modelId, ids) }
  }

  #following(
    changes: readonly ChangeRow[],
    converted: ReadonlyMap<string, ConvertedHere>,
    { bases, documents }: Existing,
  ): Parameters<typeof followDocuments>[1] {
    const taken = changes.filter(({ takes }) => takes)
    const written = taken.flatMap((change) => {
      const { document, fields = new Set<string>() } = converted.get(change.id) ?? {}
      return document ? [{ change, document, fields }] : []
    })
    return {
      gone: taken.flatMap(({ kind, id, version }) => (kind === 'gone' ? [{ id, expected: version }] : [])),
      made: written.flatMap(({ change: { kind, id }, document }) =>
        kind === 'new' && !documents.has(id) ? [document] : [],
      ),
      changed: written.flatMap(({ change: { kind, id, version }, document, fields }) => {
        if (kind === 'new') return []
        // An order that was changed at the source replaces the order in the app.
        const base = bases.get(id)
        const isOrdered = base === undefined || base.customOrder !== document.customOrder
        const customOrder = isOrdered ? document.customOrder : (documents.get(id)?.customOrder ?? null)
        return [{ document: { ...document, customOrder, fields }, expected: version }]
      }),
    }
  }

  /** Stores the state of the source as the base, so that the same state is not offered again. */
  async #leave(
    { db }: AppContext,
    outcomes: readonly Outcome[],
    converted: ReadonlyMap<string, ConvertedHere>,
    { bases, followed }: { bases: ReadonlyMap<string, Base>; followed: ReadonlyMap<string, Followed> },
  ): Promise<void> {
    const { modelId } = this.#updated.model.scope
    const settled = outcomes.filter(({ outcome }) => outcome === 'taken' || outcome === 'kept')
    const left = settled.flatMap(({ id }) => {
      const document = converted.get(id)?.document
      const now = followed.get(id)
      const version = now && 'version' in now ? now.version : (bases.get(id)?.version ?? 0)
      return document ? [{ id, version, ...sourceStateOf(document) }] : []
    })
    const gone = settled.flatMap(({ id }) => (converted.has(id) ? [] : [id]))
    await this.#updating.baseline.keepDocuments(db, modelId, left, gone)
  }
}

function outcomeOf(
  { id, takes }: ChangeRow,
  followed: Followed | undefined,
  converted: ReadonlyMap<string, ConvertedHere>,
): Outcome {
  const outcome = { id, problem: null, leftOut: [] }
  if (!takes) return { ...outcome, outcome: 'kept' }
  // The document was created, edited or deleted in the app since the plan.
  if (!followed || 'edited' in followed) return { ...outcome, outcome: 'edited' }
  if ('refused' in followed) return { ...outcome, outcome: 'refused', problem: followed.refused }
  return { ...outcome, outcome: 'taken', leftOut: converted.get(id)?.leftOut ?? [] }
}
