import { filePath } from '#archive/app-format.ts'
import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { appsWith, lockSpace } from '#server/access/membership.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { newId } from '#server/lib/ids.ts'
import type { FileAnswer } from '#shared/contract/endpoint.ts'
import type { AppTemplate, AppTemplateVersion } from '#shared/contract/templates.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { freeUid } from '#shared/free-uids.ts'
import { can } from '#shared/permissions.ts'
import { findOwnTemplate, templateReader } from './templates.access.ts'
import { placeOf, readFileAt } from './templates.archive.ts'
import { cleanUpTemplatesJob, saveTemplateJob } from './templates.jobs.ts'
import * as templates from './templates.repository.ts'

/*
 * Apps saved as templates of their space: one template per app, in versions. A template remains if its app is deleted.
 */

/** Maximum number of versions of a template. */
const mostVersions = 100

const modelsOf = ({ parts, counts }: templates.TemplateRow) =>
  (parts?.models ?? []).map(({ uid, name }) => ({ uid, name, documents: counts?.[uid] ?? 0 }))

/**
 * Returns the newest versions of the space's own templates that the caller may use. `taken`: the uids of the space's
 * apps.
 */
export async function listOwnTemplates(
  ctx: SpaceContext,
  taken: ReadonlySet<string>,
): Promise<AppTemplate[]> {
  const found = await templates.listNewest(ctx.db, ctx.scope, await templateReader(ctx))
  const managed = await appsWith(ctx, 'app.manage')
  return found.map((row) => ({
    deletable: mayDelete(ctx, row, managed),
    _id: row.id,
    version: row.version,
    uid: freeUid(row.parts?.app.uid ?? '', taken),
    name: row.name,
    description: row.description,
    icon: row.parts?.app.icon?.type === 'emoji' ? row.parts.app.icon : null,
    cover: row.parts?.app.cover
      ? { type: 'image', value: `/api/project/${ctx.space.uid}/appTemplate/${row.id}/cover?v=${row.version}` }
      : null,
    models: modelsOf(row),
  }))
}

/** Returns the cover of the newest version. Throws 404. */
export async function readOwnCover(ctx: OwnTransactions<SpaceContext>, id: string): Promise<FileAnswer> {
  const found = await ctx.inSpace(async (inside) => {
    const row = await findOwnTemplate(inside, id)
    return row && { row, spaceId: inside.scope.spaceId }
  })
  const cover = found?.row.parts?.app.cover
  if (!found?.row.storage || !cover) throw new AppError('NotFound')
  const { row, spaceId } = found
  const driver = await ctx.services.storages.of({ space_id: spaceId, storage: found.row.storage })
  const bytes = await readFileAt(driver, placeOf(spaceId, row), filePath(cover))
  return { bytes, fileName: 'cover', type: cover.mediaType, size: cover.bytes }
}

type VersionView = Omit<AppTemplateVersion, 'createdAt'> & { createdAt: Date }

const present = (row: templates.TemplateRow): VersionView => ({
  _id: row.id,
  version: row.version,
  name: row.name,
  description: row.description,
  documents: row.hasDocuments,
  models: modelsOf(row),
  state: row.parts ? 'saved' : row.stopped ? 'failed' : 'saving',
  createdAt: row.createdAt,
  createdBy: row.createdBy,
})

/** Returns the versions of an app's template, newest first, including versions that are not saved yet. */
export async function listVersions(ctx: AppContext): Promise<VersionView[]> {
  return (await templates.listVersions(ctx.db, ctx.scope, ctx.scope.appId)).map(present)
}

/** Returns a version of an app's template. Throws 404. */
async function requireVersion(ctx: AppContext, version: string): Promise<templates.TemplateRow> {
  const found = await templates.listVersions(ctx.db, ctx.scope, ctx.scope.appId)
  const row = found.find((one) => String(one.version) === version)
  if (!row) throw new AppError('NotFound')
  return row
}

/** Returns a version in the form of responses. Throws 404. */
export const getVersion = async (ctx: AppContext, version: string): Promise<VersionView> =>
  present(await requireVersion(ctx, version))

interface Saving {
  name: string
  description: string
  documents: boolean
}

/**
 * Saves the app as the next version of its template, by a job. The caller must be able to read everything in the app,
 * because members who see the app and may create apps can read all of the template. Throws 403, and 400 beyond the
 * maximum number of versions.
 */
export async function saveTemplate(
  ctx: AppContext,
  { name, description, documents }: Saving,
): Promise<VersionView> {
  const readsAll = can(ctx.grants, 'document.read') && ctx.grants.models.size === 0
  if (!readsAll) throw new AppError('Forbidden')
  await lockSpace(ctx, 'app.manage')
  const [newest, ...older] = await templates.listVersions(ctx.db, ctx.scope, ctx.scope.appId)
  if (older.length + 1 >= mostVersions) throw invalid('data', 'TooManyItems', { maximum: mostVersions })
  const key = { id: newest?.id ?? newId(), version: (newest?.version ?? 0) + 1 }
  const requestedBy = accountOf(ctx.actor)
  const jobId = await enqueue(ctx.db, saveTemplateJob, key, { scope: ctx.scope, requestedBy })
  const createdBy = requestedBy === null ? null : { _id: requestedBy, name: '' }
  const row = { ...key, appId: ctx.scope.appId, name, description, hasDocuments: documents, jobId }
  await templates.insertTemplate(ctx.db, ctx.scope, { ...row, createdBy })
  return getVersion(ctx, String(key.version))
}

/** Deletes a version. Apps created from it stay. Throws 404. */
export async function deleteVersion(ctx: AppContext, version: string): Promise<void> {
  await forget(ctx, await requireVersion(ctx, version))
}

/** Deletes all versions of an app's template. Throws 404 if the app has no version. */
export async function deleteVersions(ctx: AppContext): Promise<void> {
  const [newest] = await templates.listVersions(ctx.db, ctx.scope, ctx.scope.appId)
  if (!newest) throw new AppError('NotFound')
  await forget(ctx, { ...newest, version: undefined })
}

/**
 * Returns whether the caller may delete a template: if the caller saved all of its versions, or manages the app from
 * which it was saved. `managed`: apps that the caller manages; null: every app.
 */
const mayDelete = (
  { actor }: SpaceContext,
  { makers, appId }: templates.TemplateRow,
  managed: readonly number[] | null,
) =>
  managed === null ||
  managed.includes(appId) ||
  makers.every((maker) => maker !== null && maker === accountOf(actor))

/**
 * Deletes a template of the space, also after its app was deleted. Throws 404, and 403 if the caller may not delete it.
 */
export async function deleteOwnTemplate(ctx: SpaceContext, id: string): Promise<void> {
  const row = await findOwnTemplate(ctx, id)
  if (!row) throw new AppError('NotFound')
  noteAudit(ctx, { objectId: id, objectName: row.name })
  if (!mayDelete(ctx, row, await appsWith(ctx, 'app.manage'))) throw new AppError('Forbidden')
  await forget(ctx, { ...row, version: undefined })
}

async function forget(
  ctx: SpaceContext,
  { id, name, version }: { id: string; name: string; version: number | undefined },
): Promise<void> {
  noteAudit(ctx, { objectId: id, objectName: name, facts: { version: version ?? null } })
  await templates.deleteTemplates(ctx.db, ctx.scope, id, version)
  await enqueue(ctx.db, cleanUpTemplatesJob, {}, { scope: ctx.scope, key: 'deleted' })
}
