import { z } from 'zod'
import { requireRightIn } from '#server/access/membership.ts'
import { type Converting, newestShape } from '#server/content/conversion.ts'
import { notify } from '#server/db/notices.ts'
import { appScope, type Db, inTransaction, type ModelScope, modelScope } from '#server/db/scope.ts'
import { defineJob, type JobContext } from '#server/jobs/job.ts'
import { AppError } from '#shared/errors.ts'
import type { RepeatedValue } from '#shared/fields/convert.ts'
import { findBehind, takeBatch } from './models.behind.ts'
import { convertBatch } from './models.conversion.ts'
import { purgeKept } from './models.kept.ts'
import { conversionJob, countStored, removeConversions, tellRepeated } from './models.progress.ts'
import { addToCounts, findModelById, lockModelById } from './models.repository.ts'

/** Says between two batches how many documents were looked at, and of how many; throws when it is to stop. */
type Told = Pick<JobContext, 'progress' | 'at'>

/** Documents are held for about so many milliseconds: who saves one of them meanwhile does not notice. */
const held = { atLeast: 50, atMost: 100 }
/** Documents at a time. Fewer would not be held for less: the transaction itself takes its time when much is going on. */
const size = { least: 5, most: 100 }

/**
 * Carries the changes of a large model's fields to its documents, a few at a time, while people read and save. A run that
 * was cut off is repeated, and finds what is left; a change that comes meanwhile asks for another one. Fails for good
 * with `ValuesRepeat` when documents are published with the same value where that must not be any more; the model says
 * which.
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

/** What was kept of changes that cannot be taken back any more goes. */
export const purgeKeptJob = defineJob({
  name: 'models.purgeKept',
  isLong: true,
  payload: z.object({}),
  handler: ({ db, progress }) => purgeKept(db, progress),
})

async function convertModel(db: Db, scope: ModelScope, told: Told): Promise<void> {
  const model = await findModelById(db, scope)
  const shape = model ? newestShape(model) : 0
  if (!model || shape === 0) return
  let repeated = await convertAll(db, scope, model, told)
  // What was refused may have been reserved for a value that its document has no more, and which has followed since.
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

/** Goes through all documents once. Answers what those that could not follow repeat. */
async function convertAll(
  db: Db,
  scope: ModelScope,
  model: Converting,
  { progress, at }: Told,
): Promise<RepeatedValue[]> {
  const total = await countStored(db, scope)
  const repeated: RepeatedValue[] = []
  let done = 0
  let atOnce = size.least
  for (let after: string | null = ''; after !== null; ) {
    const page: Awaited<ReturnType<typeof findBehind>> = await findBehind(db, scope, model, after)
    // Those that need nothing are through at once.
    done += page.seen - page.behind.length
    while (page.behind.length > 0) {
      await progress(done, Math.max(total, done + page.behind.length))
      const ids = takeBatch(page.behind, atOnce)
      at(ids[0] ?? '')
      const { took, refused } = await convertBatch(db, scope, ids)
      repeated.push(...refused.flatMap((document) => document.repeated))
      done += ids.length
      if (took > held.atMost) atOnce = Math.max(size.least, atOnce >> 1)
      else if (took < held.atLeast) atOnce = Math.min(size.most, 2 * atOnce)
    }
    after = page.last
  }
  await progress(done, done)
  return repeated
}
