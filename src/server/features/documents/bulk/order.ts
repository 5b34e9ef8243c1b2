import type { AppContext } from '#server/access/context.ts'
import { countDocuments, type ModelRecord, requireModel } from '#server/features/models/models.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import { findLive } from '../store/documents.repository.ts'
import * as orders from './order.repository.ts'

/**
 * Moves these documents to the front. Other documents with a rank follow in their order. Creates no version and no
 * revision. The model is locked, so that the later of two concurrent orders applies completely. Throws 400 for unknown
 * or repeated ids.
 */
export async function updateCustomOrder(ctx: AppContext, modelUid: string, ids: string[]): Promise<void> {
  const model = await requireModel(ctx, modelUid, 'update')
  const seen = new Set<string>()
  const issues: Issue[] = []
  ids.forEach((id, index) => {
    if (seen.has(id)) issues.push({ path: `documentIds.${index}`, code: 'DuplicatedValue' })
    seen.add(id)
  })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  const live = await findLive(ctx.db, model.scope, ids)
  ids.forEach((id, index) => {
    if (!live.has(id)) issues.push({ path: `documentIds.${index}`, code: 'InvalidValue' })
  })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  await orders.updateCustomOrder(ctx.db, model.scope, ids)
  await record(ctx, model)
}

/** Removes the custom order. */
export async function resetCustomOrder(ctx: AppContext, modelUid: string): Promise<void> {
  const model = await requireModel(ctx, modelUid, 'update')
  await orders.resetCustomOrder(ctx.db, model.scope)
  await record(ctx, model)
}

async function record(ctx: AppContext, { scope }: ModelRecord): Promise<void> {
  const subject = { appId: scope.appId, modelId: scope.modelId, actor: ctx.actor }
  await recordEvent(ctx.db, scope, 'document.customOrderChanged', {}, subject)
  await countDocuments(ctx, scope, { documents: 0, published: 0 })
}
