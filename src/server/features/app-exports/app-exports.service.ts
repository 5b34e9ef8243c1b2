import { stat } from 'node:fs/promises'
import { fileBytes } from '#archive/files.ts'
import { mostApps } from '#archive/space-format.ts'
import { accountOf } from '#server/access/actor.ts'
import { leaveNoAudit, noteAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { appsMovingIn } from '#server/features/moves/moves.service.ts'
import { appsBeingFilled } from '#server/features/templates/templates.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { hasChangedSince, newestEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import type { AppExport, ExportOptions } from '#shared/contract/app-exports.ts'
import type { FileAnswer } from '#shared/contract/endpoint.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { exportPath } from './app-exports.files.ts'
import { writeExportJob } from './app-exports.jobs.ts'
import * as store from './app-exports.repository.ts'

export interface ExportView extends store.ExportRow {
  state: AppExport['state']
  stopped: AppExport['stopped']
}

const interrupted = { code: 'JobInterrupted', message: '' }

function view(row: store.ExportRow): ExportView {
  const { jobState, jobError, finishedAt, hasExpired } = row
  if (finishedAt) return { ...row, state: hasExpired ? 'expired' : 'ready', stopped: null }
  if (jobState === 'waiting' || jobState === 'running') return { ...row, state: 'writing', stopped: null }
  const cancelled = jobState === 'cancelled' ? { code: 'cancelled', message: '' } : null
  return { ...row, state: 'failed', stopped: cancelled ?? jobError ?? interrupted }
}

/**
 * Time in minutes, from the request on, during which a finished export counts as current even if the app has changed.
 * Otherwise clients that poll for the file would start a new export.
 */
const fresh = 10

/**
 * Returns the latest export of the app. With `starts`, starts a new one like {@link startExport} if the latest is not
 * current. A failed export is repeated only if the app has changed.
 */
export async function getExport(
  ctx: AppContext,
  { starts }: { starts: boolean },
): Promise<ExportView | null> {
  const latest = await findLatest(ctx, ctx.scope.appId)
  if (starts && !(latest && (await isPresent(ctx, latest)))) return startExport(ctx, defaultOptions)
  leaveNoAudit(ctx)
  return latest
}

async function isPresent(ctx: AppContext, { state, createdAt, eventId }: ExportView): Promise<boolean> {
  if (state === 'expired') return false
  const isFresh = Date.now() - createdAt.getTime() < fresh * 60_000
  if (state === 'writing' || (state === 'ready' && isFresh)) return true
  return !(await hasChangedSince(ctx.db, ctx.scope, eventId))
}

const defaultOptions: ExportOptions = { format: 'archive', assets: true, revisions: false }

/** Returns the latest export of all apps of the space, or null. */
export const getSpaceExport = (ctx: SpaceContext) => findLatest(ctx, null)

async function findLatest(ctx: SpaceContext, appId: number | null): Promise<ExportView | null> {
  const row = await store.findLatest(ctx.db, ctx.scope, appId)
  return row && view(row)
}

/**
 * Starts an export of the app that replaces the previous one. Returns the running export if there is one. Throws 409
 * `AppIsBeingFilled`, with the names in `apps`, while the app is being filled from a template or by an import.
 */
export const startExport = (ctx: AppContext, options: ExportOptions) =>
  start(
    ctx,
    { ...ctx.app, appId: ctx.scope.appId, apps: [{ id: ctx.scope.appId, name: ctx.app.name }] },
    options,
  )

/**
 * Starts an archive of all apps of the space, like {@link startExport}. Throws 400 if the space has no apps, or more
 * apps than one archive can contain.
 */
export async function startSpaceExport(
  ctx: SpaceContext,
  options: Omit<ExportOptions, 'format'>,
): Promise<ExportView | null> {
  const apps = await store.listExportedApps(ctx.db, ctx.scope)
  const { length } = apps
  if (length === 0) throw invalid('data.apps', 'Required')
  if (length > mostApps) throw invalid('data.apps', 'TooManyItems', { maximum: mostApps })
  return start(ctx, { ...ctx.space, appId: null, apps }, { format: 'archive', ...options })
}

interface Started {
  /** null: all apps of the space. */
  appId: number | null
  apps: readonly { id: number; name: string }[]
  uid: string
  name: string
}

async function start(
  ctx: SpaceContext,
  { appId, apps, uid, name }: Started,
  options: ExportOptions,
): Promise<ExportView | null> {
  const before = await findLatest(ctx, appId)
  if (before?.state === 'writing') {
    leaveNoAudit(ctx)
    return before
  }
  const incomplete = new Set([...(await appsBeingFilled(ctx)), ...(await appsMovingIn(ctx))])
  const waitedFor = apps.filter((app) => incomplete.has(app.id)).map((app) => app.name)
  if (waitedFor.length > 0) throw new AppError('AppIsBeingFilled', { details: { apps: waitedFor } })
  const id = newId()
  const day = new Date().toISOString().slice(0, 10)
  const createdBy = accountOf(ctx.actor)
  const payload = { exportId: id }
  const asked = { scope: ctx.scope, requestedBy: createdBy }
  const jobId = await enqueue(ctx.db, writeExportJob, payload, asked)
  const kind = options.format === 'archive' ? '' : `-${options.format}`
  const fileName = `${uid}${kind}-${day}.zip`
  const eventId = await newestEvent(ctx.db, ctx.scope)
  const values = { id, appId, eventId, options, fileName, createdBy, jobId }
  await store.insertExport(ctx.db, ctx.scope, values)
  noteAudit(ctx, { objectId: uid, objectName: name })
  return findLatest(ctx, appId)
}

/**
 * Returns the path of the endpoint that sends the file of a finished export. null: the export is not finished or has
 * expired.
 */
export function downloadAddress(
  ctx: SpaceContext | AppContext,
  found: Pick<ExportView, 'state'> | null,
): string | null {
  if (found?.state !== 'ready') return null
  const space = `/api/project/${ctx.space.uid}`
  return 'app' in ctx ? `${space}/app/${ctx.app.uid}/export/file` : `${space}/export/file`
}

/**
 * Returns the file of the latest export of the app, or of the space. Throws 404 if this export does not exist, is not
 * finished or has expired.
 */
export const openExport = (
  ctx: OwnTransactions<AppContext> | OwnTransactions<SpaceContext>,
): Promise<FileAnswer> =>
  ctx.inSpace(async (place: SpaceContext | AppContext) => {
    const { db, scope, services } = place
    const found = await store.findLatest(db, scope, 'app' in place ? place.app.id : null)
    if (!found || view(found).state !== 'ready') throw new AppError('NotFound')
    const path = exportPath(services.config.dataDir, scope.spaceId, found.id)
    const size = (await stat(path).catch(() => undefined))?.size
    if (size === undefined) throw new AppError('NotFound')
    const { uid, name } = 'app' in place ? place.app : place.space
    noteAudit(place, { objectId: uid, objectName: name, facts: { fileName: found.fileName } })
    return { bytes: fileBytes(path), fileName: found.fileName, type: 'application/zip', size }
  })
