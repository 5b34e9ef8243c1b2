import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { purgeAssets, sweepUploads } from './assets.purge.ts'
import { sweepBlobs } from './blobs.ts'
import { removeLeftovers } from './incoming.ts'

/**
 * Assets leave the trash for good after 30 days, and so do files that were replaced; then what no asset refers to leaves the
 * storages, and what uploads left behind that nobody finished.
 */
export const cleanUpAssetsJob = defineJob({
  name: 'assets.cleanUp',
  isLong: true,
  payload: z.object({}),
  handler: async ({ db, actor, services: { storages, config, log }, progress }) => {
    const onAway = (error: unknown) => log.warn({ err: error }, 'A storage was left for the next sweep')
    const purged = await purgeAssets(db, actor, progress)
    const swept = await sweepBlobs(db, storages, (done) => progress(purged + done), onAway)
    await sweepUploads(db, storages, onAway)
    const left = await removeLeftovers(config.dataDir, 24)
    await storages.local.removeLeftovers(24 * 60)
    await progress(purged + swept + left)
  },
})
