import type { Manifest } from '#archive/format.ts'
import type { ArchiveSource } from '#archive/source.ts'
import { listCustomTypes } from '#server/features/custom-types/custom-types.service.ts'
import { modelsByUid } from '#server/features/models/models.service.ts'
import { inApp } from '#server/features/portable-apps/portable-apps.service.ts'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import type { AppChanges, MoveChangeKind, NewModel } from '#shared/contract/move-updates.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import { type Base, findBases, isSameState } from './moves.bases.ts'
import { type ChangeRow, deleteChanges, insertChanges } from './moves.changes.repository.ts'
import type { Incoming, IncomingDocument } from './moves.incoming.ts'
import { planFor } from './moves.plan.ts'
import { findChanges, findLastAdditions } from './moves.repository.ts'
import { findAdditions, partsHere } from './moves.update-additions.ts'
import { type DocumentHere, documentsHere, titlesHere } from './moves.update-here.ts'
import { type UpdatedModel, updatedModels } from './moves.update-models.ts'
import { isImport, type PlannedParts, type Updating } from './moves.updating.ts'

const rowsAtATime = 500

/** Why an archive is none that the app of a move can be brought up to date with. */
export function updateRefusal(
  { source, finishedAt, asked }: Manifest,
  plan: MovePlan,
  /** When the archives were finished that have been brought. */
  brought: readonly string[],
): MoveRefusal | undefined {
  const refuse = (code: MoveRefusal['code'], what: string): MoveRefusal => ({
    code,
    items: [{ kind: 'archive', what }],
    count: 1,
  })
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
 * Compares what comes in with what was brought before and with what is here, and writes down what differs. Nothing else is written.
 * `read`: the models and custom types that are there.
 */
export async function planUpdate(
  updating: Updating,
  incoming: Incoming,
  read: PlannedParts,
): Promise<AppChanges> {
  const { db, scope, moveId, progress } = updating
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
      // Every document of a model that is made is new.
      documents += isImport(updating) ? countOf(additions.models.find((model) => model.from === from)) : 0
      continue
    }
    const news = additions.parts.find((part) => part.kind === 'model' && part.from === from)?.fields ?? []
    const compared = new ComparedModel(updating, { from, incoming, updated: models.get(from), news })
    const model = await compared.run(async (count) => progress(Math.min(done + count, total), total))
    done += compared.read
    documents += compared.differing
    changes.push({ ...model, from, name: planned.name })
  }
  return {
    source: incoming.source,
    app: await inApp(updating, async ({ app: { uid, name } }) => ({ uid, name })),
    counts: { documents, ...(await incoming.countFiles()) },
    models: changes,
    additions,
    newModels: incoming.models.filter((uid) =>
      [...plan.models, ...additions.models].every(({ from }) => from !== uid),
    ),
    missingModels: isImport(updating)
      ? []
      : plan.models.flatMap(({ from }) => (incoming.models.includes(from) ? [] : [from])),
  }
}

const countOf = (model: NewModel | undefined) =>
  Object.values(model?.documents ?? {}).reduce((sum, count) => sum + count, 0)

/** The archive of another service, as the plan of a move recognises it. */
export const readParts = (
  { language = 'ja', progress, at }: Pick<Updating, 'language' | 'progress' | 'at'>,
  source: ArchiveSource,
): Promise<MovePlan> =>
  planFor(source, {
    language,
    onProgress: progress,
    at,
    // Nothing of this is to become an app of its own.
    isAppTaken: async () => false,
    takenDocuments: async () => [],
    takenAssets: async () => [],
  })

/** What is there that neither the app has nor the move had; `plan`: what they have. */
async function planAdditions(
  updating: Updating,
  models: ReadonlyMap<string, UpdatedModel>,
  read: PlannedParts,
): Promise<{ plan: PlannedParts; additions: AppChanges['additions'] }> {
  const { db, scope, originId } = updating
  const before = await findLastAdditions(db, scope, originId)
  return inApp(updating, async (app) => {
    const modelUids = new Set((await modelsByUid(app)).keys())
    const here = { models, modelUids, customTypes: await listCustomTypes(app) }
    const plan = isImport(updating) ? partsHere(read, here) : updating.plan
    return { plan, additions: findAdditions(read, plan, here, before) }
  })
}

/** Writes down the documents of models that an update has made, which are all new. */
export async function listMade(
  updating: Updating,
  incoming: Incoming,
  models: ReadonlyMap<string, UpdatedModel>,
): Promise<void> {
  const changes = await findChanges(updating.db, updating.scope, updating.moveId)
  for (const { from, outcome } of changes?.additions.models ?? []) {
    if (outcome !== 'made' || !incoming.models.includes(from)) continue
    await new ComparedModel(updating, { from, incoming, updated: models.get(from), news: [] }).run(
      async () => {},
    )
  }
}

interface Compared {
  from: string
  incoming: Incoming
  updated: UpdatedModel | undefined
  /** Fields that are new there. */
  news: readonly { from: string }[]
}

/** One model of an archive beside what is here. */
class ComparedModel {
  readonly #updating: Updating
  readonly #compared: Compared
  readonly #unknown = new Set<string>()
  #rows: ChangeRow[] = []
  #unchanged = 0
  /** Contents that were looked at, and documents that can be brought. */
  read = 0
  differing = 0

  constructor(updating: Updating, compared: Compared) {
    this.#updating = updating
    this.#compared = compared
  }

  async run(onProgress: (read: number) => Promise<void>) {
    const { db, scope } = this.#updating
    const { from, incoming, updated, news } = this.#compared
    const modelId = updated?.model.scope.modelId ?? 0
    const bases = updated ? await findBases(db, scope, modelId) : new Map<string, Base>()
    const here = updated ? await documentsHere(db, scope, modelId) : new Map<string, DocumentHere>()
    const keys = new Set([...(updated?.fields ?? []), ...news].map((field) => field.from))
    for await (const content of incoming.documents(from)) {
      this.read += 1
      this.#updating.at(`${from}/${content.id}`)
      if (!updated) continue
      for (const [key, value] of Object.entries(content.values))
        if (!keys.has(key) && !isNothing(value)) this.#unknown.add(key)
      await this.#compare(content, { bases, here, modelId })
      if (this.#rows.length >= rowsAtATime) await this.#flush()
      if (this.read % rowsAtATime === 0) await onProgress(this.read)
    }
    const knowsGone = updated !== undefined && incoming.isWhole(from) && !isImport(this.#updating)
    if (knowsGone) await this.#findGone(updated, bases, here)
    await this.#flush()
    return {
      uid: updated?.model.uid ?? null,
      unchanged: this.#unchanged,
      knowsGone,
      unknownFields: [...this.#unknown].sort().slice(0, 200),
    }
  }

  async #compare(
    content: IncomingDocument,
    { bases, here, modelId }: { bases: Map<string, Base>; here: Map<string, DocumentHere>; modelId: number },
  ): Promise<void> {
    const { id, title } = content
    const base = bases.get(id)
    const ours = here.get(id)
    // What is left in the map is gone there.
    bases.delete(id)
    const theirs = await content.state()
    const isAsHere =
      isImport(this.#updating) && ours !== undefined && !ours.isTrashed && isSameState(ours, theirs)
    if (isAsHere || (base && isSameState(base, theirs))) {
      this.#unchanged += 1
      return
    }
    const kind = kindOf(base, ours)
    this.#add({
      modelId,
      id,
      kind,
      takes: kind === 'new' || kind === 'changed',
      version: ours?.version ?? null,
      title,
    })
  }

  async #findGone({ model }: UpdatedModel, bases: Map<string, Base>, here: Map<string, DocumentHere>) {
    const { db, scope } = this.#updating
    const { modelId } = model.scope
    const gone = [...bases.keys()].filter((id) => here.get(id)?.isTrashed === false)
    for (let at = 0; at < gone.length; at += rowsAtATime) {
      const ids = gone.slice(at, at + rowsAtATime)
      const titles = await titlesHere(db, scope, { modelId, titleField: model.titleField }, ids)
      for (const id of ids) {
        const title = titles.get(id)?.slice(0, 80).toWellFormed() || id
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

/** Of a document that is not there as it was brought. */
function kindOf(base: Base | undefined, ours: DocumentHere | undefined): MoveChangeKind {
  if (!ours) return base ? 'removed' : 'new'
  if (ours.isTrashed) return 'removed'
  return base?.version === ours.version && base.customOrder === ours.customOrder ? 'changed' : 'both'
}

const isNothing = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
