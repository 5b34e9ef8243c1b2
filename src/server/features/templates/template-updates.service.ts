import type { PortableApp } from '#archive/app-format.ts'
import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import {
  type ChangeOptions,
  changeFields,
  listCustomTypes,
  listModels,
  lockModels,
  type ModelLoss,
  type ModelRecord,
  type Plan,
  type Touched,
} from '#server/features/models/models.service.ts'
import {
  insertCarryModels,
  namedSettings,
  newDocumentName,
  readLiveApp,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import type { TemplateUpdate, TemplateUpdateCost, TemplateUpdateItem } from '#shared/contract/templates.ts'
import { viewSettingsSchema } from '#shared/contract/views.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import {
  affectedModels,
  applyMerged,
  applyViews,
  isView,
  removeAdded,
  unusedOf,
} from './template-updates.apply.ts'
import { compareVersions, type Parts } from './template-updates.compare.ts'
import { fieldIdsOf, merge } from './template-updates.merge.ts'
import { type AppOrigin, findOrigin, type UpdateUndo, updateOrigin } from './template-updates.repository.ts'
import { type FillSource, fillAppJob } from './templates.jobs.ts'
import { findTemplate } from './templates.repository.ts'
import { findShipped, inLanguage, shippedParts } from './templates.shipped.ts'

/*
 * Apps follow newer versions of the templates that they were made of (docs/decisions/0065).
 */

/** Days for which an update can be taken back: as long as changes of models can be. */
const undoDays = 30

/** A version that an app may follow. */
interface Version {
  name: string
  version: number | null
  parts: PortableApp
  /** Sample documents by model. */
  documents: ReadonlyMap<string, number>
  source: FillSource
}

/** The newest version of an app's template; undefined: it is there no more. */
async function newestOf(ctx: AppContext, origin: AppOrigin): Promise<Version | undefined> {
  const { template, language } = origin
  const shipped = findShipped(template)
  if (shipped)
    return {
      name: inLanguage(shipped.name, language),
      version: null,
      parts: await shippedParts(shipped, language),
      documents: new Map(shipped.models.map(({ uid, documents }) => [uid, documents.length])),
      source: { kind: 'shipped', template, language, madeAt: new Date().toISOString() },
    }
  const row = await findTemplate(ctx.db, ctx.scope, template)
  if (!row?.parts) return undefined
  return {
    name: row.name,
    version: row.version,
    parts: row.parts,
    documents: new Map(row.hasDocuments ? Object.entries(row.counts ?? {}) : []),
    source: { kind: 'own', id: template, version: row.version },
  }
}

/** Parts of a template as they are in this app: views ask for the documents that it has. */
function partsHere(parts: Parts, { carryId }: AppOrigin): Parts {
  const views = parts.views.map((view) => {
    const settings = viewSettingsSchema.safeParse(view.settings)
    return settings.success
      ? { ...view, settings: { ...namedSettings(settings.data, newDocumentName(carryId)) } }
      : view
  })
  return { customFieldTypes: parts.customFieldTypes, models: parts.models, views }
}

/** What the newest version makes of an app. */
async function compareNewest(ctx: AppContext, origin: AppOrigin, newest: Version) {
  const target = partsHere(newest.parts, origin)
  const here = (await readLiveApp(ctx)).app
  const items = compareVersions({ base: partsHere(origin.parts, origin), target, here }).map((item) => ({
    ...item,
    documents: item.kind === 'model' && item.change === 'added' ? (newest.documents.get(item.uid) ?? 0) : 0,
  }))
  return { target, here, items }
}

/** The template of an app, what its newest version would change, and the update that can be taken back. */
export async function getTemplateUpdate(ctx: AppContext): Promise<TemplateUpdate> {
  const origin = await findOrigin(ctx.db, ctx.scope)
  const newest = origin && (await newestOf(ctx, origin))
  const undo = origin && undoOf(origin)
  const shown = undo ? { at: undo.at, until: untilOf(undo).toISOString(), version: undo.version } : null
  if (!origin || !newest) return { template: null, items: null, undo: shown }
  const { items } = await compareNewest(ctx, origin, newest)
  return {
    template: {
      _id: origin.template,
      name: newest.name,
      version: origin.version,
      newest: newest.version,
    },
    items: items.length > 0 || newest.version !== origin.version ? items : null,
    undo: shown,
  }
}

const untilOf = ({ at }: UpdateUndo) => new Date(Date.parse(at) + undoDays * 86_400_000)
const undoOf = ({ undo }: AppOrigin) => (undo && untilOf(undo) > new Date() ? undo : null)

/** What is asked of an update. */
export interface UpdateInput extends ChangeOptions {
  version: number | null
  take: readonly string[]
  documents: boolean
}

type Cost = TemplateUpdateCost

/**
 * Brings an app to the newest version of its template, as far as that is chosen. Throws 404 for an app of no template,
 * `VersionConflict`, 400 for a key of nothing that can be taken, for parts that cannot be without others, and for losses.
 */
export async function applyTemplateUpdate(
  own: Pick<OwnTransactions<AppContext>, 'inSpace'>,
  input: UpdateInput,
): Promise<Cost & { job: string | null }> {
  const { result, losses, models } = await changeFields(own, (ctx) => planUpdate(ctx, input), input)
  return { job: result, losses, models, removed: [] }
}

async function planUpdate(ctx: AppContext, input: UpdateInput): Promise<Plan<string | null>> {
  requireRight(ctx)
  const models = await lockModels(ctx)
  const origin = await findOrigin(ctx.db, ctx.scope, 'update')
  const newest = origin && (await newestOf(ctx, origin))
  if (!origin || !newest) throw new AppError('NotFound')
  if (newest.version !== input.version)
    throw new AppError('VersionConflict', { details: { current: newest.version } })
  const { target, here, items } = await compareNewest(ctx, origin, newest)
  const chosen = chosenOf(items, input.take)
  const { undo, ...written } = await planWriting({ ctx, models, target, here, chosen, seed: origin.carryId })
  return {
    ...written,
    current: async () => null,
    async apply() {
      const { after, changes, made } = await written.write()
      const { version } = newest
      const before = { base: origin.parts, before: undo.parts, fieldIds: undo.fieldIds }
      const at = new Date().toISOString()
      const taken = { at, version: origin.version, ...before, after, changes }
      await updateOrigin(ctx.db, ctx.scope, { version, parts: newest.parts, undo: taken })
      noteAudit(ctx, { objectId: ctx.app.uid, objectName: ctx.app.name, facts: { version } })
      return input.documents ? fill(ctx, origin, newest, made) : null
    },
  }
}

function requireRight(ctx: AppContext): void {
  if (!can(ctx.grants, 'model.manage')) throw new AppError('Forbidden')
}

/** Throws 400 for a key of nothing that can be taken. */
function chosenOf(items: TemplateUpdateItem[], take: readonly string[]): TemplateUpdateItem[] {
  const byKey = new Map(items.map((item) => [item.key, item]))
  return take.map((key, index) => {
    const item = byKey.get(key)
    if (!item || item.choice === 'told') throw invalid(`take.${index}`, 'InvalidValue')
    return item
  })
}

interface Writing {
  ctx: AppContext
  models: ModelRecord[]
  target: Parts
  here: Parts
  chosen: TemplateUpdateItem[]
  /** What is taken back by it. */
  takes?: UpdateUndo
  /** Of the app: `_id`s of what is new follow from it. */
  seed: string
}

/** The part of a plan that is the same for an update and for what takes it back. */
async function planWriting({ ctx, models, target, here, chosen, takes, seed }: Writing) {
  const { audit: _, ...quiet } = ctx
  const customTypes = await listCustomTypes(ctx.db, ctx.scope)
  const keys = new Set(chosen.map(({ key }) => key))
  const ids = takes?.fieldIds ?? {}
  const merged = merge({ models, customTypes, target, chosen: keys, ids, seed })
  const affected = await affectedModels(ctx, merged, customTypes, takes?.changes)
  const fieldIds = { ...fieldIdsOf('model', models), ...fieldIdsOf('customType', customTypes) }
  return {
    affected,
    pathOf: () => 'take',
    tell: (losses: ModelLoss[], touched: Touched[]) => ({ losses, models: touched }),
    undo: { parts: partsOf(here), fieldIds },
    customTypes,
    merged,
    async write() {
      const gone = chosen.filter((item) => isView(item) && item.change === 'gone')
      // Views name fields: those that go, go before these; all others have to be there first.
      await applyViews(quiet, target, gone)
      const changes = await applyMerged(quiet, merged, affected)
      await applyViews(
        quiet,
        target,
        chosen.filter((item) => !gone.includes(item)),
      )
      const made = merged.models.filter(({ before }) => !before).map(({ uid }) => uid)
      return { changes, made, after: partsOf((await readLiveApp(ctx)).app) }
    },
  }
}

const partsOf = ({ customFieldTypes, models, views }: Parts): Parts => ({ customFieldTypes, models, views })

/** Asks for the sample contents of models that were added, which refer to those of the others. */
async function fill(
  ctx: AppContext,
  { carryId }: AppOrigin,
  { documents, source }: Version,
  made: readonly string[],
): Promise<string | null> {
  const models = (await lockModels(ctx)).filter(
    ({ uid }) => made.includes(uid) && (documents.get(uid) ?? 0) > 0,
  )
  if (models.length === 0) return null
  const rows = models.map(({ uid, scope }) => ({
    model: uid,
    modelId: scope.modelId,
    total: documents.get(uid) ?? 0,
  }))
  await insertCarryModels(ctx.db, ctx.scope, carryId, rows)
  const requestedBy = accountOf(ctx.actor)
  const payload = { carryId, appId: ctx.scope.appId, requestedBy, source }
  return enqueue(ctx.db, fillAppJob, payload, { scope: ctx.scope, requestedBy })
}

/**
 * Takes the newest update back, but for what somebody changed since. Throws 404, 409 `ChangeCannotBeTakenBack`, 400 for losses.
 */
export async function undoTemplateUpdate(
  own: Pick<OwnTransactions<AppContext>, 'inSpace'>,
  options: ChangeOptions,
): Promise<Cost> {
  const { result, losses, models } = await changeFields(own, (ctx) => planUndo(ctx, options), options)
  return { losses, models, removed: result }
}

async function planUndo(ctx: AppContext, options: ChangeOptions): Promise<Plan<Cost['removed']>> {
  requireRight(ctx)
  const models = await lockModels(ctx)
  const origin = await findOrigin(ctx.db, ctx.scope, 'update')
  const takes = origin && undoOf(origin)
  if (!origin || !takes) throw new AppError('NotFound')
  const here = (await readLiveApp(ctx)).app
  const { before: target, after: base } = takes
  const chosen = compareVersions({ base, target, here }).filter(({ here: state }) => state === 'same')
  const written = await planWriting({
    ctx,
    models,
    target,
    here,
    chosen: chosen.filter(isLeft),
    takes,
    seed: origin.carryId,
  })
  const isAdded = (kind: TemplateUpdateItem['kind'], uid: string) =>
    chosen.some((item) => item.kind === kind && item.uid === uid && item.change === 'gone')
  const { customTypes, merged } = written
  const added = {
    models: models.filter(({ uid }) => isAdded('model', uid)),
    customTypes: customTypes.filter(({ uid }) => isAdded('customType', uid)),
  }
  const gone = unusedOf(added, merged, customTypes)
  const uids = new Set(gone.models.map(({ uid }) => uid))
  const removed = (await listModels(ctx)).flatMap(({ uid, name, documentCount }) =>
    uids.has(uid) ? [{ uid, name, documents: documentCount }] : [],
  )
  return {
    ...written,
    tell: (losses, touched) => ({ losses, models: touched, removed }),
    current: async () => removed,
    async apply() {
      const losing = removed.filter(({ documents }) => documents > 0)
      if (losing.length > 0 && !options.acceptLoss)
        throw new AppError('ValidationFailed', {
          message: 'Documents would be lost',
          details: { losses: [], models: [], removed },
        })
      await written.write()
      const { audit: _, ...quiet } = ctx
      await removeAdded(quiet, gone)
      await updateOrigin(ctx.db, ctx.scope, { version: takes.version, parts: takes.base, undo: null })
      const facts = { version: origin.version }
      noteAudit(ctx, { objectId: ctx.app.uid, objectName: ctx.app.name, facts })
      return removed
    },
  }
}

const isLeft = ({ kind, change }: TemplateUpdateItem) =>
  change !== 'gone' || (kind !== 'model' && kind !== 'customType')

/** Lets the newest update be, if there is one. Throws 404 for an app of no template. */
export async function acceptTemplateUpdate(ctx: AppContext): Promise<void> {
  const origin = await findOrigin(ctx.db, ctx.scope, 'update')
  if (!origin) throw new AppError('NotFound')
  await updateOrigin(ctx.db, ctx.scope, { ...origin, undo: null })
  noteAudit(ctx, { objectId: ctx.app.uid, objectName: ctx.app.name, facts: { version: origin.version } })
}
