import type { Manifest } from '#archive/format.ts'
import { listCustomTypes } from '#server/features/custom-types/custom-types.service.ts'
import { modelsByUid } from '#server/features/models/models.service.ts'
import { inApp } from '#server/features/portable-apps/portable-apps.service.ts'
import type { MovePlan, PlannedParts } from '#shared/contract/move-plans.ts'
import type { AppChanges, MoveChangeKind, NewModel } from '#shared/contract/move-updates.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import { shorten } from '#shared/unicode.ts'
import { refusalOf } from '../archive/refusal.ts'
import { type Base, findBases, isSameState } from '../store/bases.repository.ts'
import { type ChangeRow, deleteChanges, insertChanges } from '../store/changed-documents.repository.ts'
import {
  type ExistingDocument,
  type ExistingValues,
  existingDocuments,
  existingTitles,
  existingValues,
} from '../store/existing.repository.ts'
import { findChanges } from '../store/moves.repository.ts'
import { inSlices } from '../store/slices.ts'
import { findAdditions } from './additions.ts'
import { convertHere, isSameHere } from './convert-here.ts'
import type { Incoming, IncomingDocument } from './incoming-contents.ts'
import { planOthers } from './left-out.ts'
import type { Updating } from './update-context.ts'
import { type UpdatedModel, updatedModels } from './updated-models.ts'

const rowsAtATime = 500
/** Maximum number of documents whose values are compared together. Each may have a megabyte. */
const comparedAtATime = 20

/** Returns the refusal of an archive that cannot update the app of a move. undefined: the update is possible. */
export function updateRefusal(
  { source, finishedAt, asked }: Manifest,
  plan: MovePlan,
  /** Times at which the previously imported archives were finished. */
  brought: readonly string[],
): MoveRefusal | undefined {
  const refuse = (code: MoveRefusal['code'], what: string) => refusalOf(code, [{ kind: 'archive', what }])
  const { kind, space, app } = plan.source
  if (source.kind !== kind || source.space !== space || source.app !== app)
    return refuse('otherSource', `${source.kind} ${source.space}/${source.app}`)
  if (!asked.views.includes('api') || !asked.views.includes('cdn'))
    return refuse('lacksViews', asked.views.join(', '))
  if (brought.some((time) => Date.parse(time) > Date.parse(finishedAt)))
    return refuse('olderArchive', finishedAt)
  return undefined
}

/**
 * Compares the archive with the baseline and the app, and stores only the differences. `read`: the models and custom
 * types of the archive.
 */
export async function planUpdate(
  updating: Updating,
  incoming: Incoming,
  read: PlannedParts,
): Promise<AppChanges> {
  const { db, scope, moveId, progress, baseline } = updating
  await deleteChanges(db, scope, moveId)
  const models = await updatedModels(updating, updating.plan)
  const { plan, additions } = await planAdditions(updating, models, read)
  const total = incoming.count
  let done = 0
  const changes: AppChanges['models'] = []
  let documents = 0
  for (const from of incoming.models) {
    const planned = plan.models.find((model) => model.from === from)
    if (!planned) {
      if (baseline.countsNewModels)
        documents += countOf(additions.models.find((model) => model.from === from))
      continue
    }
    const news = additions.parts.find((part) => part.kind === 'model' && part.from === from)?.fields ?? []
    const updated = models.get(from)
    const compared = new ComparedModel(updating, { from, incoming, updated, plan, news })
    const model = await compared.run(async (count) => progress(Math.min(done + count, total), total))
    done += compared.read
    documents += compared.differing
    changes.push({ ...model, from, name: planned.name })
  }
  const { app, views, notImported } = await inApp(updating, async (ctx) => ({
    app: { uid: ctx.app.uid, name: ctx.app.name },
    ...(await planOthers(ctx, incoming.others, additions)),
  }))
  return {
    source: incoming.source,
    app,
    counts: { documents, ...(await incoming.countFiles()) },
    models: changes,
    additions: { ...additions, views },
    notImported,
    newModels: incoming.models.filter((uid) =>
      [...plan.models, ...additions.models].every(({ from }) => from !== uid),
    ),
    missingModels: baseline.tellsGone
      ? plan.models.flatMap(({ from }) => (incoming.models.includes(from) ? [] : [from]))
      : [],
  }
}

const countOf = (model: NewModel | undefined) =>
  Object.values(model?.documents ?? {}).reduce((sum, count) => sum + count, 0)

/** Finds the additions in the archive. Returns `plan`: the parts of the archive that are not new. */
async function planAdditions(
  updating: Updating,
  models: ReadonlyMap<string, UpdatedModel>,
  read: PlannedParts,
): Promise<{ plan: PlannedParts; additions: AppChanges['additions'] }> {
  const { db, baseline } = updating
  const before = await baseline.lastAdditions(db)
  return inApp(updating, async (app) => {
    const modelUids = new Set((await modelsByUid(app)).keys())
    const here = { models, modelUids, customTypes: await listCustomTypes(app) }
    const plan = baseline.known(read, here)
    return { plan, additions: findAdditions(read, plan, here, before) }
  })
}

/** Stores a change for each document of the models that the update has created, so that the documents are imported. */
export async function listMade(
  updating: Updating,
  incoming: Incoming,
  models: ReadonlyMap<string, UpdatedModel>,
): Promise<void> {
  const changes = await findChanges(updating.db, updating.scope, updating.moveId)
  for (const { from, outcome } of changes?.additions.models ?? []) {
    if (outcome !== 'made' || !incoming.models.includes(from)) continue
    const { plan } = updating
    const compared = { from, incoming, updated: models.get(from), plan, news: [] }
    await new ComparedModel(updating, compared).run(async () => {})
  }
}

interface Compared {
  from: string
  incoming: Incoming
  updated: UpdatedModel | undefined
  plan: PlannedParts
  /** Fields that are new in the archive. */
  news: readonly { from: string }[]
}

interface Known {
  bases: Map<string, Base>
  here: ReadonlyMap<string, ExistingDocument>
}

class ComparedModel {
  readonly #updating: Updating
  readonly #compared: Compared
  readonly #unknown = new Set<string>()
  /** Documents whose values have not been compared yet. */
  #timeless: IncomingDocument[] = []
  #rows: ChangeRow[] = []
  #unchanged = 0
  /**
   * `read`: number of documents read. `differing`: number of documents that differ, without documents that were deleted
   * in the app.
   */
  read = 0
  differing = 0

  constructor(updating: Updating, compared: Compared) {
    this.#updating = updating
    this.#compared = compared
  }

  async run(onProgress: (read: number) => Promise<void>) {
    const { db, scope, baseline } = this.#updating
    const { from, incoming, updated, news } = this.#compared
    const modelId = updated?.model.scope.modelId ?? 0
    const bases = updated ? await findBases(db, scope, modelId) : new Map<string, Base>()
    const here = updated ? await existingDocuments(db, scope, modelId) : new Map<string, ExistingDocument>()
    const keys = new Set([...(updated?.fields ?? []), ...news].map((field) => field.from))
    for await (const content of incoming.documents(from)) {
      this.read += 1
      this.#updating.at(`${from}/${content.id}`)
      if (!updated) continue
      for (const [key, value] of Object.entries(content.values))
        if (!keys.has(key) && !isNothing(value)) this.#unknown.add(key)
      if (content.isTimeless && here.get(content.id)?.isTrashed === false) this.#timeless.push(content)
      else await this.#compare(content, { bases, here })
      if (this.#timeless.length >= comparedAtATime) await this.#compareValues({ bases, here })
      if (this.#rows.length >= rowsAtATime) await this.#flush()
      if (this.read % rowsAtATime === 0) await onProgress(this.read)
    }
    await this.#compareValues({ bases, here })
    const knowsGone = updated !== undefined && incoming.isWhole(from) && baseline.tellsGone
    if (knowsGone) await this.#findGone(updated, bases, here)
    await this.#flush()
    return {
      uid: updated?.model.uid ?? null,
      unchanged: this.#unchanged,
      knowsGone,
      unknownFields: [...this.#unknown].sort().slice(0, 200),
    }
  }

  /** Compares documents by their values, because their times do not show whether they changed. */
  async #compareValues(known: Known): Promise<void> {
    const { updated } = this.#compared
    const contents = this.#timeless
    this.#timeless = []
    if (!updated || contents.length === 0) return
    const { db, scope } = this.#updating
    const ids = contents.map(({ id }) => id)
    const values = await existingValues(db, scope, updated.model.scope.modelId, ids)
    for (const content of contents)
      await this.#compare(content, known, await this.#hasValues(content, updated, values.get(content.id)))
  }

  async #hasValues(
    content: IncomingDocument,
    updated: UpdatedModel,
    here: ExistingValues | undefined,
  ): Promise<boolean> {
    const { plan, news } = this.#compared
    if (!here || news.some(({ from }) => !isNothing(content.values[from]))) return false
    this.#updating.at(`${updated.from}/${content.id}`)
    return isSameHere(await convertHere(content, updated, plan), here)
  }

  async #compare(content: IncomingDocument, { bases, here }: Known, hasValues = false): Promise<void> {
    const { id, title } = content
    const base = bases.get(id)
    const ours = here.get(id)
    // Bases that remain in the map at the end belong to documents that the archive lacks.
    bases.delete(id)
    if (content.isTimeless ? hasValues : await this.#hasState(content, base, ours)) {
      this.#unchanged += 1
      return
    }
    const kind = kindOf(base, ours)
    this.#add({
      modelId: this.#compared.updated?.model.scope.modelId ?? 0,
      id,
      kind,
      takes: kind === 'new' || kind === 'changed',
      version: ours?.version ?? null,
      title,
    })
  }

  /**
   * Returns whether the document at the source is in the state of its last import, or in the state of the document in
   * the app.
   */
  async #hasState(
    content: IncomingDocument,
    base: Base | undefined,
    ours: ExistingDocument | undefined,
  ): Promise<boolean> {
    const theirs = await content.state()
    if (base && isSameState(base, theirs)) return true
    return ours !== undefined && this.#updating.baseline.isUpToDate(ours, theirs)
  }

  async #findGone({ model }: UpdatedModel, bases: Map<string, Base>, here: Known['here']) {
    const { db, scope } = this.#updating
    const { modelId } = model.scope
    const gone = [...bases.keys()].filter((id) => here.get(id)?.isTrashed === false)
    for (const ids of inSlices(gone, rowsAtATime)) {
      const titles = await existingTitles(db, scope, { modelId, titleField: model.titleField }, ids)
      for (const id of ids) {
        const title = shorten(titles.get(id) ?? '', 80) || id
        const version = here.get(id)?.version ?? null
        this.#add({ modelId, id, kind: 'gone', takes: false, version, title })
      }
      await this.#flush()
    }
  }

  #add(row: ChangeRow): void {
    if (row.kind !== 'removed') this.differing += 1
    this.#rows.push(row)
  }

  async #flush(): Promise<void> {
    const { db, scope, moveId } = this.#updating
    await insertChanges(db, scope, moveId, this.#rows)
    this.#rows = []
  }
}

/** Returns the kind of change of a document that differs from the source. */
function kindOf(base: Base | undefined, ours: ExistingDocument | undefined): MoveChangeKind {
  if (!ours) return base ? 'removed' : 'new'
  if (ours.isTrashed) return 'removed'
  return base?.version === ours.version && base.customOrder === ours.customOrder ? 'changed' : 'both'
}

const isNothing = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
