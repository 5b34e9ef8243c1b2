import { type ModelRecord, modelsByUid, resolveModelFields } from '#server/features/models/models.service.ts'
import { type InApp, inApp } from '#server/features/portable-apps/portable-apps.service.ts'
import type { PlannedParts } from '#shared/contract/move-plans.ts'
import { AppError } from '#shared/errors.ts'
import type { Field } from '#shared/fields/index.ts'
import type { Conversion } from '../archive/received-contents.ts'

/** A model of the archive with its current counterpart in the app. */
export interface UpdatedModel {
  /** uid of the model in the archive. */
  from: string
  model: ModelRecord & { fields: Field[] }
  /** The fields with the keys of their values in the archive. */
  fields: Conversion['fields']
}

/**
 * Returns the models of a plan that the app still has, by their uids in the archive. Values are stored in the planned
 * fields. A value with another key is stored in the field with that uid, if the model has one.
 */
export async function updatedModels(place: InApp, plan: PlannedParts): Promise<Map<string, UpdatedModel>> {
  return inApp(place, async (ctx) => {
    const known = await modelsByUid(ctx)
    const found = new Map<string, UpdatedModel>()
    for (const { from, uid, fields } of plan.models) {
      const record = known.get(uid)
      if (!record) continue
      const model = { ...record, fields: await resolveModelFields(ctx, record) }
      const byUid = new Map(model.fields.map((field) => [field.uid, field]))
      const planned = fields.flatMap((one) => {
        const field = byUid.get(one.field.uid)
        return field ? [{ from: one.from, field }] : []
      })
      const keys = new Set(fields.map((one) => one.from))
      const taken = new Set(planned.map(({ field }) => field.uid))
      const others = model.fields.filter((field) => !keys.has(field.uid) && !taken.has(field.uid))
      found.set(from, {
        from,
        model,
        fields: [...planned, ...others.map((field) => ({ from: field.uid, field }))],
      })
    }
    return found
  })
}

/** Returns whether the app exists. */
export async function isAppThere(place: InApp): Promise<boolean> {
  try {
    return await inApp(place, async () => true)
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotFound') return false
    throw error
  }
}
