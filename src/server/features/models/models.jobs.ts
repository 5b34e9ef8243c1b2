import { z } from 'zod'
import { requireRightIn } from '#server/access/membership.ts'
import { type Converting, newestShape } from '#server/content/conversion.ts'
import { notify } from '#server/db/notices.ts'
import { appScope, type Db, inTransaction, type ModelScope, modelScope } from '#server/db/scope.ts'
import { defineJob, type JobContext } from '#server/jobs/job.ts'
import { AppError } from '#shared/errors.ts'
import type { RepeatedValue } from '#shared/fields/convert.ts'
import { batchSize, findBehind, nextBatchSize, takeBatch } from './behind.repository.ts'
import { purgeKept } from './kept.repository.ts'
import { convertBatch } from './models.conversion.ts'
import { renewTexts } from './models.renew-texts.ts'
import { addToCounts, findModelById, lockModelById } from './models.repository.ts'
import { conversionJob, countStored, removeConversions, tellRepeated } from './progress.repository.ts'

/**
 * `progress` reports the number of processed documents and the total between batches, and throws to stop the
 * conversion. `at` reports the document being processed.
 */
type Told = Pick<JobContext, 'progress' | 'at'>

/**
 * Converts the documents of a large model in batches while users read and save. An interrupted run is repeated and
 * continues with the rest. A change meanwhile enqueues another run. Fails permanently with `ValuesRepeat` if published
 * documents have the same value in a unique field. The model lists these values.
 */
export const convertModelJob = defineJob({
  name: conversionJob,
  isLong: true,
  payload: z.object({ appId: z.int(), modelId: z.int() }),
  concurrencyKey: ({ modelId }) => `model ${modelId}`,
  requireMayRunAgain: async (ctx, { appId }) => {
    await requireRightIn(ctx, appId, 'model.manage')
  },
  handler: async ({ db, scope: space, payload, progress, at }) => {
    if (space)
      await convertModel(db, modelScope(appScope(space, payload.appId), payload.modelId), { progress, at })
  },
})

/** Deletes kept values of changes that can no longer be undone. */
export const purgeKeptJob = defineJob({
  name: 'models.purgeKept',
  isLong: true,
  payload: z.object({}),
  async handler({ eachSpace, progress }) {
    let done = 0
    await eachSpace(async (db) => {
      const before = done
      done += await purgeKept(db, (purged) => progress(before + purged))
    })
  },
})

/** Recomputes the search texts of HTML. Migrations enqueue this job when these texts change. */
export const renewTextsJob = defineJob({
  name: 'models.renewTexts',
  isLong: true,
  payload: z.object({}),
  async handler({ eachSpace, progress, at }) {
    let done = 0
    await eachSpace(async (db) => {
      const before = done
      done += await renewTexts({ db, at, progress: (renewed) => progress(before + renewed) })
    })
  },
})

async function convertModel(db: Db, scope: ModelScope, told: Told): Promise<void> {
  const model = await findModelById(db, scope)
  const shape = model ? newestShape(model) : 0
  if (!model || shape === 0) return
  let repeated = await convertAll(db, scope, model, told)
  // Refused documents are tried again: the blocking document may have been converted after the first attempt, and then
  // no longer reserves the value.
  if (repeated.length > 0) repeated = await convertAll(db, scope, model, told)
  await inTransaction(db, async (tx) => {
    const locked = await lockModelById(tx, scope)
    if (!locked) return
    if (repeated.length > 0) await tellRepeated(tx, locked, repeated)
    else await removeConversions(tx, locked, shape)
    await notify(tx, { kind: 'registry', spaceId: scope.spaceId })
    await addToCounts(tx, scope, { documents: 0, published: 0 })
  })
  if (repeated.length > 0) throw new AppError('ValuesRepeat')
}

/** Converts all documents once. Returns the duplicate values of documents that could not be converted. */
async function convertAll(
  db: Db,
  scope: ModelScope,
  model: Converting,
  { progress, at }: Told,
): Promise<RepeatedValue[]> {
  const total = await countStored(db, scope)
  const repeated: RepeatedValue[] = []
  let done = 0
  let atOnce = batchSize.least
  for (let after: string | null = ''; after !== null; ) {
    const page: Awaited<ReturnType<typeof findBehind>> = await findBehind(db, scope, model, after)
    // Documents that need no conversion count as done.
    done += page.seen - page.behind.length
    while (page.behind.length > 0) {
      await progress(done, Math.max(total, done + page.behind.length))
      const ids = takeBatch(page.behind, atOnce)
      at(ids[0] ?? '')
      const { took, refused } = await convertBatch(db, scope, ids)
      repeated.push(...refused.flatMap((document) => document.repeated))
      done += ids.length
      atOnce = nextBatchSize(atOnce, took)
    }
    after = page.last
  }
  await progress(done, done)
  return repeated
}
