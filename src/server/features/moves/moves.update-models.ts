import { type ModelRecord, modelsByUid, resolveModelFields } from '#server/features/models/models.service.ts'
import { type InApp, inApp } from '#server/features/portable-apps/portable-apps.service.ts'
import { AppError } from '#shared/errors.ts'
import type { Field } from '#shared/fields/index.ts'
import type { Conversion } from './moves.received.ts'
import type { PlannedParts } from './moves.updating.ts'

/** A model of the archive with the one that it became, as that is now. */
export interface UpdatedModel {
  /** Its uid in the archive. */
  from: string
  model: ModelRecord & { fields: Field[] }
  /** By the keys of their values. */
  fields: Conversion['fields']
}

/**
 * The models of a move's plan that the app still has, by their uids. A value goes where the plan said; one of a field that has come
 * since goes into the field of its name, if people have made one.
 */
export async function updatedModels(around: InApp, plan: PlannedParts): Promise<Map<string, UpdatedModel>> {
  return inApp(around, async (ctx) => {
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

/** Is the app there? */
export async function isAppThere(around: InApp): Promise<boolean> {
  try {
    return await inApp(around, async () => true)
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotFound') return false
    throw error
  }
}
