import { z } from 'zod'
import { appScope, inTransaction, modelScope } from '#server/db/scope.ts'
import { defineJob } from '#server/jobs/job.ts'
import { idPattern } from '#shared/identifiers.ts'
import { countDocumentsWith, removeValues } from './models.conversion.ts'
import { loadResolver } from './models.custom-types.ts'
import { addToCounts, findModelById, listModels } from './models.repository.ts'

/**
 * Takes the values of removed fields out of the documents of a large model, a few documents at a time, while people go
 * on saving: nothing reads what no field names. A run that was cut off is repeated, and finds what is left.
 */
export const removeValuesJob = defineJob({
  name: 'models.removeValues',
  payload: z.object({
    appId: z.int(),
    modelId: z.int(),
    fieldIds: z.array(z.string().regex(idPattern)).min(1),
  }),
  concurrencyKey: ({ modelId }) => `model ${modelId}`,
  handler: async ({ db, scope: space, payload, progress }) => {
    if (!space) return
    const scope = modelScope(appScope(space, payload.appId), payload.modelId)
    const total = await countDocumentsWith(db, scope, payload.fieldIds)
    let done = 0
    for (let after: string | null = ''; after !== null; ) {
      await progress(done, Math.max(done, total))
      const from: string = after
      const batch = await inTransaction(db, async (tx) => {
        const model = await findModelById(tx, scope, 'share')
        if (!model) return null
        const targets = new Map(
          (await listModels(tx, scope)).map((other) => [other.uid, other.scope.modelId]),
        )
        const kept = new Set(model.fields.map((field) => field._id))
        const gone = payload.fieldIds.filter((id) => !kept.has(id))
        const fields = (await loadResolver(tx, scope, model.fields))(model.fields)
        const changed = await removeValues(tx, scope, { fields, targets }, gone, from)
        if (changed.count > 0) await addToCounts(tx, scope, { documents: 0, published: 0 })
        return changed
      })
      done += batch?.count ?? 0
      after = batch?.last ?? null
    }
    await progress(done, done)
  },
})
