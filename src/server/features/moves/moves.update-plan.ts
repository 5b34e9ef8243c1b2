import { titleOf } from '#archive/content.ts'
import type { Manifest } from '#archive/format.ts'
import { listCustomTypes } from '#server/features/custom-types/custom-types.service.ts'
import { modelsByUid } from '#server/features/models/models.service.ts'
import { inApp } from '#server/features/portable-apps/portable-apps.service.ts'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import type { AppChanges, MoveChangeKind } from '#shared/contract/move-updates.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import type { Language } from '#shared/languages.ts'
import { type Base, findBases, isSameState } from './moves.bases.ts'
import { type ChangeRow, deleteChanges, insertChanges } from './moves.changes.repository.ts'
import { stateOf } from './moves.documents.ts'
import type { Importing } from './moves.importing.ts'
import { planFor } from './moves.plan.ts'
import { documentId, type ReceivedContent } from './moves.received.ts'
import { findChanges, findLastAdditions } from './moves.repository.ts'
import { contentsOf, type ModelSurvey, type Survey, survey } from './moves.survey.ts'
import { findAdditions } from './moves.update-additions.ts'
import { planFiles } from './moves.update-files.ts'
import { assetsHere, type DocumentHere, documentsHere, titlesHere } from './moves.update-here.ts'
import { type UpdatedModel, updatedModels } from './moves.update-models.ts'

/** What an update works with: `moveId` is its own, `plan` that of the move whose app it brings up to date. */
export type Updating = Importing & {
  originId: string
  /** What names of fields are guessed in. */
  language: Language | undefined
}

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

/** Compares the archive with what was brought before and with what is here, and writes down what differs. Nothing else is written. */
export async function planUpdate(updating: Updating): Promise<AppChanges> {
  const { db, scope, moveId, fileOwner, plan, source, manifest, workFolder, progress } = updating
  await deleteChanges(db, scope, moveId)
  const models = await updatedModels(updating, plan)
  const additions = await planAdditions(updating, models)
  const found = await survey(source, manifest, workFolder, fileOwner)
  try {
    const total = found.index.documentCount
    let done = 0
    const changes: AppChanges['models'] = []
    let documents = 0
    for (const [from, surveyed] of found.models) {
      const planned = plan.models.find((model) => model.from === from)
      if (!planned) continue
      const news = additions.parts.find((part) => part.kind === 'model' && part.from === from)?.fields ?? []
      const compared = new ComparedModel(updating, { from, surveyed, updated: models.get(from), news })
      const model = await compared.run(async (count) => progress(Math.min(done + count, total), total))
      done += compared.read
      documents += compared.differing
      changes.push({ ...model, from, name: planned.name })
    }
    const { app } = plan
    const { kind, space, app: uid } = manifest.source
    const { status, finishedAt } = manifest
    return {
      source: { kind, space, app: uid, status, finishedAt },
      app,
      counts: { documents, ...(await countAssets(updating, found)) },
      models: changes,
      additions,
      newModels: [...found.models.keys()].filter((uid) =>
        [...plan.models, ...additions.models].every(({ from }) => from !== uid),
      ),
      missingModels: plan.models.flatMap(({ from }) => (found.models.has(from) ? [] : [from])),
    }
  } finally {
    await found.close()
  }
}

/** What the archive has that neither the app has nor the move had, as the plan of a move recognises it. */
async function planAdditions(
  updating: Updating,
  models: ReadonlyMap<string, UpdatedModel>,
): Promise<AppChanges['additions']> {
  const { db, scope, originId, plan, source, language = 'ja', progress } = updating
  const read = await planFor(source, {
    language,
    onProgress: progress,
    at: updating.at,
    // Nothing of this is to become an app of its own.
    isAppTaken: async () => false,
    takenDocuments: async () => [],
    takenAssets: async () => [],
  })
  const before = await findLastAdditions(db, scope, originId)
  return inApp(updating, async (app) => {
    const modelUids = new Set((await modelsByUid(app)).keys())
    const here = { models, modelUids, customTypes: await listCustomTypes(app) }
    return findAdditions(read, plan, here, before)
  })
}

/** Writes down the documents of models that an update has made, which are all new. */
export async function listMade(
  updating: Updating,
  found: Survey,
  models: ReadonlyMap<string, UpdatedModel>,
): Promise<void> {
  const changes = await findChanges(updating.db, updating.scope, updating.moveId)
  for (const { from, outcome } of changes?.additions.models ?? []) {
    const surveyed = found.models.get(from)
    if (outcome !== 'made' || !surveyed) continue
    await new ComparedModel(updating, { from, surveyed, updated: models.get(from), news: [] }).run(
      async () => {},
    )
  }
}

/** Files of the archive that are not in the library, or are others there, and their bytes. */
async function countAssets(updating: Updating, found: Survey) {
  const lacking = await lackingAssets(updating, found.assets)
  const { count, bytes } = await planFiles(updating, found)
  return {
    assets: lacking.length + count,
    bytes: lacking.reduce((sum, { size }) => sum + size, bytes),
  }
}

/** Those that are not in the library; files without a byte are in none. */
export async function lackingAssets<Asset extends { id: string; size: number }>(
  { db, scope }: Pick<Updating, 'db' | 'scope'>,
  assets: readonly Asset[],
): Promise<Asset[]> {
  const lacking: Asset[] = []
  for (let at = 0; at < assets.length; at += rowsAtATime) {
    const part = assets.slice(at, at + rowsAtATime)
    const here = await assetsHere(
      db,
      scope,
      part.map(({ id }) => id),
    )
    lacking.push(...part.filter(({ id, size }) => size > 0 && !here.has(id)))
  }
  return lacking
}

interface Compared {
  from: string
  surveyed: ModelSurvey
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
    const { db, scope, source, manifest } = this.#updating
    const { from, surveyed, updated, news } = this.#compared
    const modelId = updated?.model.scope.modelId ?? 0
    const bases = updated ? await findBases(db, scope, modelId) : new Map<string, Base>()
    const here = updated ? await documentsHere(db, scope, modelId) : new Map<string, DocumentHere>()
    const keys = new Set([...(updated?.fields ?? []), ...news].map((field) => field.from))
    for await (const content of surveyed.copies?.values() ?? contentsOf(source, manifest, from)) {
      this.read += 1
      this.#updating.at(`${from}/${content.id}`)
      if (!updated) continue
      for (const [key, value] of Object.entries(content.values))
        if (!keys.has(key) && !isNothing(value)) this.#unknown.add(key)
      await this.#compare(content, { bases, here, modelId })
      if (this.#rows.length >= rowsAtATime) await this.#flush()
      if (this.read % rowsAtATime === 0) await onProgress(this.read)
    }
    const knowsGone = updated !== undefined && !surveyed.copies && isWhole(manifest)
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
    content: ReceivedContent,
    { bases, here, modelId }: { bases: Map<string, Base>; here: Map<string, DocumentHere>; modelId: number },
  ): Promise<void> {
    const id = documentId(content.id)
    const base = bases.get(id)
    const ours = here.get(id)
    // What is left in the map is gone there.
    bases.delete(id)
    const theirs = await stateOf(content, this.#compared.surveyed)
    if (base && isSameState(base, theirs)) {
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
      title: titleOf(content.values) || id,
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

/** Has the archive all contents of its models? */
const isWhole = ({ status, counts }: Manifest) => status !== 'partial' && counts.gaps.contents === 0

const isNothing = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
