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
  handler: async ({ eachSpace, actor, services: { storages, config, log }, progress }) => {
    const onAway = (error: unknown) =>
      log.warn({ err: error }, 'A storage was unavailable and is cleaned up later')
    let done = 0
    await eachSpace(async (db) => {
      const report = (count: number) => progress(done + count)
      done += await purgeAssets(db, actor, report)
      done += await sweepBlobs(db, storages, report, onAway)
      await sweepUploads(db, storages, onAway)
    })
    done += await removeLeftovers(config.dataDir, 24)
    await storages.local.removeLeftovers(24 * 60)
    await progress(done)
  },
})
