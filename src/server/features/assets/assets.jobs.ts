import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { purgeAssets, sweepUploads } from './assets.purge.ts'
import { sweepBlobs } from './blobs.ts'
import { removeLeftovers } from './incoming.ts'

/**
 * Deletes assets after 30 days in the trash, and replaced files after 30 days; then removes unreferenced contents from
 * the storages, and the remains of unfinished uploads.
 */
export const cleanUpAssetsJob = defineJob({
  name: 'assets.cleanUp',
  isLong: true,
  payload: z.object({}),
  handler: async ({ db, actor, services: { storages, config, log }, progress }) => {
    const onAway = (error: unknown) =>
      log.warn({ err: error }, 'A storage was unavailable and is cleaned up later')
    const purged = await purgeAssets(db, actor, progress)
    const swept = await sweepBlobs(db, storages, (done) => progress(purged + done), onAway)
    await sweepUploads(db, storages, onAway)
    const left = await removeLeftovers(config.dataDir, 24)
    await storages.local.removeLeftovers(24 * 60)
    await progress(purged + swept + left)
  },
})
