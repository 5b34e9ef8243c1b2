import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { trimEvents } from '#server/jobs/outbox.ts'
import { deleteOldJobs } from './jobs.repository.ts'

/**
 * Number of days after which rows are deleted. `events`: outbox events that every event consumer has processed. `done`:
 * completed jobs. `ended`: failed, stopped and cancelled jobs.
 */
const keep = { events: 30, done: 7, ended: 30 }

/** Deletes old outbox events and finished jobs. */
export const cleanUpJob = defineJob({
  name: 'jobs.cleanUp',
  payload: z.object({}),
  acrossSpaces: 'the outbox and the queue are shared by all spaces',
  handler: async ({ db, progress }) => {
    let deleted = 0
    const batches = [
      () => trimEvents(db, keep.events),
      () => deleteOldJobs(db, ['done'], keep.done),
      () => deleteOldJobs(db, ['failed', 'stopped', 'cancelled'], keep.ended),
    ]
    for (const batch of batches)
      for (let count = 1; count > 0; ) {
        count = await batch()
        deleted += count
        await progress(deleted)
      }
  },
})
