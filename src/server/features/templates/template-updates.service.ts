import type { PortableApp } from '#archive/app-format.ts'
import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import {
  type ChangeOptions,
  type ChangePlan,
  changeFields,
  lockModels,
} from '#server/features/models/models.service.ts'
import {
  insertCarryModels,
  namedSettings,
  newDocumentName,
  readLiveApp,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { lockSchema } from '#server/features/schema-merge/schema-merge.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import type { TemplateUpdate, TemplateUpdateCost, TemplateUpdateItem } from '#shared/contract/templates.ts'
import { viewSettingsSchema } from '#shared/contract/views.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { compareVersions, type Parts } from './template-updates.compare.ts'
import { type AppOrigin, findOrigin, updateOrigin } from './template-updates.repository.ts'
import { undoOf, untilOf } from './template-updates.undo.ts'
import { planWriting, requireRight } from './template-updates.writing.ts'
import { findOwnTemplate } from './templates.access.ts'
import { type FillSource, fillAppJob } from './templates.jobs.ts'
import { findShipped, inLanguage, shippedParts } from './templates.shipped.ts'

/* Updates of apps to newer versions of their templates (docs/decisions/0065). */

/** A version of a template that an app can follow. */
interface Version {
  name: string
  version: number | null
  parts: PortableApp
  /** Number of sample documents by model. */
  documents: ReadonlyMap<string, number>
  source: FillSource
}

/**
 * Returns the newest version of an app's template. undefined: the template was deleted, or the caller may not use it.
 */
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
  const row = await findOwnTemplate(ctx, template)
  if (!row?.parts) return undefined
  return {
    name: row.name,
    version: row.version,
    parts: row.parts,
    documents: new Map(row.hasDocuments ? Object.entries(row.counts ?? {}) : []),
    source: { kind: 'own', id: template, version: row.version },
  }
}

/** Returns the parts of a template. Document `_id`s in views are mapped to the `_id`s in this app. */
function partsHere(parts: Parts, { carryId }: AppOrigin): Parts {
  const views = parts.views.map((view) => {
    const settings = viewSettingsSchema.safeParse(view.settings)
    return settings.success
      ? { ...view, settings: { ...namedSettings(settings.data, newDocumentName(carryId)) } }
      : view
  })
  return { customFieldTypes: parts.customFieldTypes, models: parts.models, views }
}

async function compareNewest(ctx: AppContext, origin: AppOrigin, newest: Version) {
  const target = partsHere(newest.parts, origin)
  const here = (await readLiveApp(ctx)).app
  const items = compareVersions({ base: partsHere(origin.parts, origin), target, here }).map((item) => ({
    ...item,
    documents: item.kind === 'model' && item.change === 'added' ? (newest.documents.get(item.uid) ?? 0) : 0,
  }))
  return { target, here, items }
}

/** Returns the template of an app, the changes in its newest version, and the update that can be undone. */
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

export interface UpdateInput extends ChangeOptions {
  version: number | null
  take: readonly string[]
  documents: boolean
}

/**
 * Applies the chosen changes of the newest version of an app's template. Throws 403, `VersionConflict`, and 404 for an
 * app without a template. Throws 400 for invalid keys, for parts that require others, and for losses that were not
 * accepted.
 */
export async function applyTemplateUpdate(
  own: Pick<OwnTransactions<AppContext>, 'inSpace'>,
  input: UpdateInput,
): Promise<TemplateUpdateCost & { job: string | null }> {
  const { result, losses, models } = await changeFields(own, (ctx) => planUpdate(ctx, input), input)
  return { job: result, losses, models, removed: [] }
}

async function planUpdate(ctx: AppContext, input: UpdateInput): Promise<ChangePlan<string | null>> {
  requireRight(ctx)
  const own = await lockSchema(ctx)
  const origin = await findOrigin(ctx.db, ctx.scope, 'update')
  const newest = origin && (await newestOf(ctx, origin))
  if (!origin || !newest) throw new AppError('NotFound')
  if (newest.version !== input.version)
    throw new AppError('VersionConflict', { details: { current: newest.version } })
  const { target, here, items } = await compareNewest(ctx, origin, newest)
  const chosen = chosenOf(items, input.take)
  const { undo, ...written } = await planWriting({ ctx, own, target, here, chosen, seed: origin.carryId })
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

/** Returns the chosen items. Throws 400 for a key that cannot be chosen. */
function chosenOf(items: TemplateUpdateItem[], take: readonly string[]): TemplateUpdateItem[] {
  const byKey = new Map(items.map((item) => [item.key, item]))
  return take.map((key, index) => {
    const item = byKey.get(key)
    if (!item || item.choice === 'told') throw invalid(`take.${index}`, 'InvalidValue')
    return item
  })
}

/**
 * Enqueues the creation of sample documents for the added models. Returns the job; null if the models have no sample
 * documents.
 */
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
  const payload = { carryId, appId: ctx.scope.appId, source }
  return enqueue(ctx.db, fillAppJob, payload, { scope: ctx.scope, requestedBy })
}
