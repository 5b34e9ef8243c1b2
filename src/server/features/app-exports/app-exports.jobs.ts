import { z } from 'zod'
import { requireRightIn } from '#server/access/membership.ts'
import { defineJob } from '#server/jobs/job.ts'
import { exportHours } from '#shared/contract/app-exports.ts'
import { idPattern } from '#shared/identifiers.ts'
import { removeOrphans } from './app-exports.files.ts'
import { deleteOld, findExport, findLiving, finishExport } from './app-exports.repository.ts'
import { writeSpaceExport } from './app-exports.space.ts'
import { writeExport } from './app-exports.write.ts'

/** Writes the file of an export. A run after an interruption starts from the beginning. */
export const writeExportJob = defineJob({
  name: 'appExports.write',
  isLong: true,
  payload: z.object({ exportId: z.string().regex(idPattern) }),
  // Exports run one at a time, because each writes much data.
  concurrencyKey: () => 'app export',
  requireMayRunAgain: async (ctx, { exportId }) => {
    const found = await findExport(ctx.db, ctx.scope, exportId)
    if (found) await requireRightIn(ctx, found.appId, 'app.manage')
  },
  handler: async ({ payload: { exportId }, ...ctx }) => {
    const { db, scope } = ctx
    const found = scope && (await findExport(db, scope, exportId))
    if (!scope || !found || found.finishedAt) return
    const { appId, options } = found
    const writing = {
      ...ctx,
      scope,
      caller: ctx.caller,
      right: 'app.manage' as const,
      exportId,
      options,
    }
    const written = await (appId === null ? writeSpaceExport(writing) : writeExport({ ...writing, appId }))
    await finishExport(db, scope, exportId, { ...written, hours: exportHours })
  },
})

/** Deletes exports after 30 days, and removes the files of expired and deleted exports from the disk. */
export const cleanUpExportsJob = defineJob({
  name: 'appExports.cleanUp',
  isLong: true,
  payload: z.object({}),
  acrossSpaces: 'the files of all spaces are compared with their rows',
  handler: async ({ db, eachSpace, services, progress }) => {
    await eachSpace(deleteOld)
    await progress(await removeOrphans(services.config.dataDir, (ids) => findLiving(db, ids)))
  },
})
