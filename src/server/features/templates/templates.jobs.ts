import { z } from 'zod'
import { inTransaction } from '#server/db/scope.ts'
import {
  deleteProgress,
  fillApp,
  findAppContext,
  type InApp,
  liveApp,
  type PortableSource,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { defineJob, type JobContext } from '#server/jobs/job.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { languages } from '#shared/languages.ts'
import { findShipped, shippedApp } from './templates.shipped.ts'

const payload = z.object({
  /** Of this work, by which it goes on. */
  carryId: z.string().regex(idPattern),
  /** The app that is filled. */
  appId: z.int(),
  requestedBy: z.string().nullable(),
  source: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('shipped'),
      template: z.string(),
      language: z.enum(languages),
      madeAt: z.iso.datetime(),
    }),
    z.object({ kind: z.literal('app'), appId: z.int() }),
  ]),
})
export type FillSource = z.output<typeof payload>['source']
type Context = JobContext<z.output<typeof payload>>

/** Fills an app that was made of a template, or as a duplicate. A run that was cut off is repeated and goes on from where it was. */
export const fillAppJob = defineJob({
  name: 'templates.fill',
  payload,
  concurrencyKey: ({ carryId }) => `fill ${carryId}`,
  async handler(ctx) {
    const { db, scope, config, storages, signal, progress } = ctx
    const { carryId, appId, requestedBy, source } = ctx.payload
    if (!scope) return
    const actor = { ...ctx.actor, ...(requestedBy ? { askedBy: requestedBy } : {}) }
    const into = { db, scope, actor, appId }
    try {
      await fillApp({
        ...into,
        carryId,
        source: await open(source, { ...into, storages, signal }),
        // Shipped documents are written with `_id`s of their own for every app: two of one template do not share them.
        ids: 'new',
        assets: source.kind === 'app' ? 'shared' : 'brought',
        trusted: source.kind === 'app',
        storages,
        environment: { dataDir: config.dataDir, diskReserve: config.storage.diskReserve, signal },
        host: config,
        progress,
      })
    } catch (error) {
      const isGone = error instanceof AppError && error.code === 'NotFound' && !(await isThere(into))
      if (!isGone) throw error
    }
    await inTransaction(db, (tx) => deleteProgress(tx, scope, carryId))
  },
})

async function open(
  source: FillSource,
  around: InApp & Pick<Context, 'storages' | 'signal'>,
): Promise<PortableSource> {
  if (source.kind === 'app') return liveApp({ ...around, appId: source.appId, addresses: 'kept' })
  const template = findShipped(source.template)
  // A newer program may ship it no more.
  if (!template) throw new AppError('NotFound')
  return shippedApp(template, { language: source.language, madeAt: new Date(source.madeAt) })
}

const isThere = ({ db, scope, actor, appId }: InApp) =>
  inTransaction(db, async (tx) => (await findAppContext({ db: tx, scope, actor }, appId)) !== null)
