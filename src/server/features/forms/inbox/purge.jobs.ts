import { z } from 'zod'
import type { JobActor } from '#server/access/actor.ts'
import { writeAuditOfSpaces } from '#server/access/audit.ts'
import { type Db, inTransaction, type SpaceScope, type Tx } from '#server/db/scope.ts'
import { defineJob } from '#server/jobs/job.ts'
import * as purge from './purge.repository.ts'

/** Number of submissions per transaction. It is small, so that members wait only briefly for these submissions. */
const batchSize = 500

/**
 * Permanently deletes submissions after the retention of their form, and forms and submissions after 30 days in the
 * trash. The audit log of each space lists them. The clean-up of assets removes the contents of their files.
 */
export const purgeFormsJob = defineJob({
  name: 'forms.purge',
  isLong: true,
  isListed: false,
  audit: 'failures',
  payload: z.object({}),
  async handler({ eachSpace, actor, progress }) {
    let done = 0
    await eachSpace(async (db, scope) => {
      const report = (count: number) => {
        done += count
        return progress(done)
      }
      await purgeForms(db, scope, actor, report)
      for (const formId of await purge.listFormsWithRetention(db, scope))
        await purgeSubmissions(db, actor, report, (tx) => purge.deleteAged(tx, scope, formId, batchSize))
      await purgeSubmissions(db, actor, report, (tx) => purge.deleteTrashed(tx, scope, batchSize))
    })
  },
})

/** Reports the number of rows of a batch. Throws to stop the deletion. */
type Report = (count: number) => Promise<void>

async function purgeForms(db: Db, scope: SpaceScope, actor: JobActor, report: Report): Promise<void> {
  for (const id of await purge.listExpiredForms(db, scope))
    for (let isMore = true; isMore; ) {
      isMore = await inTransaction(db, async (tx) => {
        const deleted = await purge.deleteExpiredForm(tx, scope, id, batchSize)
        await writeAuditOfSpaces(tx, { act: 'form.purge', actor }, deleted ?? [])
        return deleted === null
      })
      await report(isMore ? batchSize : 1)
    }
}

async function purgeSubmissions(
  db: Db,
  actor: JobActor,
  report: Report,
  deleteBatch: (tx: Tx) => Promise<{ spaceId: number; id: string }[]>,
): Promise<void> {
  for (let count = batchSize; count === batchSize; ) {
    count = await inTransaction(db, async (tx) => {
      const deleted = await deleteBatch(tx)
      await writeAuditOfSpaces(tx, { act: 'submission.purge', actor }, deleted)
      return deleted.length
    })
    await report(count)
  }
}
