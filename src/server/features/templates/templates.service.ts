import type { PortableApp } from '#archive/app-format.ts'
import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { listModels } from '#server/features/models/models.service.ts'
import {
  insertCarryModels,
  makeApp,
  newDocumentName,
  readLiveApp,
  readPortableApp,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { newId } from '#server/lib/ids.ts'
import type { FileAnswer } from '#shared/contract/endpoint.ts'
import type { AppTemplate } from '#shared/contract/templates.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { freeUid } from '#shared/free-uids.ts'
import type { Language } from '#shared/languages.ts'
import { can } from '#shared/permissions.ts'
import { listOwnTemplates, readOwnCover } from './own-templates.service.ts'
import { shippedTemplates } from './shipped/index.ts'
import { insertOrigin } from './template-updates.repository.ts'
import { findOwnTemplate } from './templates.access.ts'
import { type FillSource, fillAppJob } from './templates.jobs.ts'
import { findAppUids, findFilledApps } from './templates.repository.ts'
import { findShipped, inLanguage, readPicture, shippedParts } from './templates.shipped.ts'

/** A created app, and the job that creates its contents. */
export interface Filled {
  app: AppContext
  job: string
}

/** Uid and name of the new app. Left out: uid (with a number if it is taken) and name of the template. */
export interface Called {
  uid?: string | undefined
  name?: string | undefined
}

const languageOf = ({ actor }: Pick<SpaceContext, 'actor'>): Language =>
  actor.kind === 'account' ? actor.language : 'ja'

/** Returns the available templates: the space's own, then the built-in ones. */
export async function listTemplates(ctx: SpaceContext): Promise<AppTemplate[]> {
  const language = languageOf(ctx)
  const taken = await findAppUids(ctx.db, ctx.scope)
  const shipped = shippedTemplates.map(({ id, name, description, icon, models }) => ({
    _id: id,
    version: null,
    deletable: false,
    uid: freeUid(id, taken),
    name: inLanguage(name, language),
    description: inLanguage(description, language),
    icon: { type: 'emoji' as const, value: icon },
    cover: { type: 'image' as const, value: `/api/project/${ctx.space.uid}/appTemplate/${id}/cover` },
    models: models.map((model) => ({
      uid: model.uid,
      name: inLanguage(model.name, language),
      documents: model.documents.length,
    })),
  }))
  return [...(await listOwnTemplates(ctx, taken)), ...shipped]
}

/** Returns the cover of a template. Throws 404. */
export async function readCover(ctx: OwnTransactions<SpaceContext>, id: string): Promise<FileAnswer> {
  const template = findShipped(id)
  if (!template) return readOwnCover(ctx, id)
  const bytes = await readPicture(template, template.cover)
  return { bytes: inOnePiece(bytes), fileName: `${id}.webp`, type: 'image/webp', size: bytes.length }
}

async function* inOnePiece(bytes: Buffer) {
  yield bytes
}

/**
 * Creates an app from a template. A job creates its contents. Without a uid, the app gets the uid of the template, with
 * a number if that is taken. Throws 400 for an unknown template or version (at `appTemplateId` or
 * `appTemplateVersion`), and `AppUidIsAlreadyInUse`.
 */
export async function createFromTemplate(
  ctx: SpaceContext,
  templateId: string,
  { version, ...called }: Called & { version?: number | undefined } = {},
): Promise<Filled> {
  const template = findShipped(templateId)
  if (!template) return createFromOwn(ctx, templateId, version, called)
  const language = languageOf(ctx)
  const parts = await shippedParts(template, language)
  const totals = new Map(template.models.map(({ uid, documents }) => [uid, documents.length]))
  const madeAt = new Date().toISOString()
  return make(ctx, parts, {
    called,
    totals,
    source: { kind: 'shipped', template: template.id, language, madeAt },
  })
}

async function createFromOwn(
  ctx: SpaceContext,
  id: string,
  version: number | undefined,
  called: Called,
): Promise<Filled> {
  const row = await findOwnTemplate(ctx, id, version)
  if (!row?.parts)
    throw invalid(row || version === undefined ? 'appTemplateId' : 'appTemplateVersion', 'InvalidValue')
  const parts = { ...row.parts, app: { ...row.parts.app, name: row.name, description: row.description } }
  const totals = row.hasDocuments ? new Map(Object.entries(row.counts ?? {})) : null
  return make(ctx, parts, { called, totals, source: { kind: 'own', id, version: row.version } })
}

/**
 * Duplicates an app, with or without its documents. The caller becomes the admin of the duplicate, so they must be able
 * to read everything in the original. Throws 403, `AppUidIsAlreadyInUse`.
 */
export async function duplicateApp(
  ctx: AppContext,
  { appName, appUid, documents }: { appName: string; appUid?: string | undefined; documents: boolean },
): Promise<Filled> {
  const readsAll = can(ctx.grants, 'document.read') && ctx.grants.models.size === 0
  if (!can(ctx.grants, 'app.manage') || !readsAll) throw new AppError('Forbidden')
  const counted = (await listModels(ctx)).map(({ uid, documentCount }) => [uid, documentCount] as const)
  return make(ctx, (await readLiveApp(ctx)).app, {
    called: { name: appName, uid: appUid },
    totals: documents ? new Map(counted) : null,
    source: { kind: 'app', appId: ctx.scope.appId },
  })
}

interface Making {
  called: Called
  /** Expected number of documents by model. null: without documents. */
  totals: ReadonlyMap<string, number> | null
  source: FillSource
}

async function make(
  ctx: SpaceContext,
  parts: PortableApp,
  { called, totals, source }: Making,
): Promise<Filled> {
  const { audit: _, ...quiet } = ctx
  await lockSpace(quiet, 'app.create')
  const carryId = newId()
  const uid = called.uid ?? freeUid(parts.app.uid, await findAppUids(ctx.db, ctx.scope))
  const name = called.name ?? parts.app.name
  const { app, models } = await makeApp(ctx, await readPortableApp(parts), {
    names: { uid, name },
    documentName: newDocumentName(carryId),
  })
  noteAudit(ctx, { objectId: app.app.uid, objectName: app.app.name })
  if (source.kind !== 'app')
    await insertOrigin(ctx.db, app.scope, {
      ...(source.kind === 'own'
        ? { template: source.id, version: source.version }
        : { template: source.template, version: null }),
      language: languageOf(ctx),
      carryId,
      parts,
    })
  if (totals)
    await insertCarryModels(
      ctx.db,
      ctx.scope,
      carryId,
      models.map((model) => ({
        model: model.uid,
        modelId: model.scope.modelId,
        total: totals.get(model.uid) ?? 0,
      })),
    )
  const requestedBy = accountOf(ctx.actor)
  const payload = { carryId, appId: app.scope.appId, source }
  const job = await enqueue(ctx.db, fillAppJob, payload, { scope: ctx.scope, requestedBy })
  return { app, job }
}

/** Returns the ids of the apps that are being filled from a template or as a duplicate. */
export const appsBeingFilled = ({ db, scope }: Pick<SpaceContext, 'db' | 'scope'>): Promise<number[]> =>
  findFilledApps(db, scope, fillAppJob.name)
