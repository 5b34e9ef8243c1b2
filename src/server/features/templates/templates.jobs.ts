import { z } from 'zod'
import type { SpaceContext } from '#server/access/context.ts'
import { hasApp, requireRightIn } from '#server/access/membership.ts'
import { appScope, inTransaction } from '#server/db/scope.ts'
import {
  deleteProgress,
  fillApp,
  type InApp,
  inApp,
  liveApp,
  type PortableSource,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { defineJob } from '#server/jobs/job.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { languages } from '#shared/languages.ts'
import { findOwnTemplate } from './templates.access.ts'
import { openArchiveAt, placeOf, sweepArchives, writeArchive } from './templates.archive.ts'
import { deleteTemplates, findPlaces, findTemplate, finishTemplate } from './templates.repository.ts'
import { findShipped, shippedApp } from './templates.shipped.ts'

const payload = z.object({
  /** Id of this work. A repeated run resumes under the same id. */
  carryId: z.string().regex(idPattern),
  appId: z.int(),
  source: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('shipped'),
      template: z.string(),
      language: z.enum(languages),
      madeAt: z.iso.datetime(),
    }),
    z.object({ kind: z.literal('app'), appId: z.int() }),
    z.object({ kind: z.literal('own'), id: z.string().regex(idPattern), version: z.int() }),
  ]),
})
export type FillSource = z.output<typeof payload>['source']

/** Fills an app created from a template or as a duplicate. An interrupted run is repeated and resumes. */
export const fillAppJob = defineJob({
  name: 'templates.fill',
  isLong: true,
  payload,
  concurrencyKey: ({ carryId }) => `fill ${carryId}`,
  requireMayRunAgain: async (ctx, { appId, source }) => {
    await requireRightIn(ctx, appId, 'app.manage')
    if (source.kind === 'app') await requireReadsAll(ctx, source.appId)
    if (source.kind === 'own' && !(await findOwnTemplate(ctx, source.id, source.version)))
      throw new AppError('Forbidden')
  },
  async handler(ctx) {
    const { db, services, scope, signal, progress, at } = ctx
    const { carryId, appId, source } = ctx.payload
    if (!scope) return
    const { caller } = ctx
    const into: InApp = { db, services, scope, caller, appId, right: 'app.manage', signal }
    try {
      await fillApp({
        ...into,
        carryId,
        source: await open(source, into),
        // Documents get new `_id`s in every app, so that apps of one template do not share them.
        ids: 'new',
        assets: source.kind === 'app' ? 'shared' : 'brought',
        trusted: source.kind === 'app',
        progress,
        at,
      })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'NotFound' || (await isThere(into))) throw error
    }
    await inTransaction(db, (tx) => deleteProgress(tx, scope, carryId))
  },
})

/** Throws 403 unless the caller may manage the app and read all of its contents. */
async function requireReadsAll(ctx: SpaceContext, appId: number): Promise<void> {
  const { rights, models } = await requireRightIn(ctx, appId, 'app.manage')
  if (!rights.has('document.read') || models.size > 0) throw new AppError('Forbidden')
}

async function open(source: FillSource, around: InApp): Promise<PortableSource> {
  const { scope, services, signal } = around
  if (source.kind === 'app')
    return liveApp({ ...around, appId: source.appId, right: 'document.read', addresses: 'kept' })
  if (source.kind === 'own') {
    const row = await inApp(around, (ctx) => findOwnTemplate(ctx, source.id, source.version))
    if (!row?.storage) throw new AppError('NotFound')
    const driver = await services.storages.of({ space_id: scope.spaceId, storage: row.storage })
    return openArchiveAt(driver, placeOf(scope.spaceId, row), signal)
  }
  const template = findShipped(source.template)
  // A newer version of Imori may no longer include the template.
  if (!template) throw new AppError('NotFound')
  return shippedApp(template, { language: source.language, madeAt: new Date(source.madeAt) })
}

/** Saves a version of an app's template. An interrupted run starts again. */
export const saveTemplateJob = defineJob({
  name: 'templates.save',
  isLong: true,
  payload: z.object({
    id: z.string().regex(idPattern),
    version: z.int(),
  }),
  concurrencyKey: ({ id }) => `template ${id}`,
  requireMayRunAgain: async (ctx, { id, version }) => {
    const row = await findTemplate(ctx.db, ctx.scope, { id, version }, null)
    if (row) await requireReadsAll(ctx, row.appId)
  },
  async handler({ db, services, scope, caller, signal, progress, payload: { id, version } }) {
    const { config, storages } = services
    const row = scope && (await findTemplate(db, scope, { id, version }, null))
    if (!scope || !row || row.parts) return
    const app: InApp = { db, services, scope, caller, appId: row.appId, right: 'app.manage', signal }
    if (!(await isThere(app))) {
      await inTransaction(db, (tx) => deleteTemplates(tx, scope, id, version))
      return
    }
    const live = await liveApp({ ...app, addresses: 'portable' })
    const source = row.hasDocuments ? live : { ...live, documents: nothing, assets: nothing }
    const space = await inApp(app, async (ctx) => ctx.space.uid)
    const manifest = await writeArchive(source, {
      driver: storages.default,
      place: placeOf(scope.spaceId, row),
      dataDir: config.dataDir,
      about: {
        generator: 'Imori',
        finishedAt: new Date().toISOString(),
        source: { kind: 'imori', space, app: live.app.app.uid, origin: config.url },
      },
      signal,
      progress,
    })
    const counts = Object.fromEntries(manifest.models.map(({ uid, documents }) => [uid, documents.count]))
    await inTransaction(db, (tx) =>
      finishTemplate(tx, scope, row, { parts: live.app, counts, storage: storages.defaultName }),
    )
  },
})

async function* nothing(): AsyncGenerator<never> {}

export const cleanUpTemplatesJob = defineJob({
  name: 'templates.cleanUp',
  isLong: true,
  payload: z.object({}),
  acrossSpaces: 'the files of all spaces are compared with their rows',
  async handler({ db, services: { storages }, progress }) {
    // Both storages, because a bucket may have been configured after the first templates were saved.
    for (const driver of new Set([storages.default, storages.local]))
      await sweepArchives(driver, (places) => findPlaces(db, places), progress)
  },
})

const isThere = ({ db, scope, appId }: InApp) => inTransaction(db, (tx) => hasApp(tx, appScope(scope, appId)))
