import type { AppContext } from '#server/access/context.ts'
import { fieldChanges } from '#shared/fields/convert.ts'
import type { Field } from '#shared/fields/index.ts'
import { cannotTakeBack, endChange, listChanges } from './kept.repository.ts'
import { type Affected, convertModel } from './models.change.ts'
import { type ModelRecord, type ModelValues, updateModel } from './models.repository.ts'
import { record } from './models.service.ts'

/* Changes of several models together, planned with `changeFields`, such as updates from a template. */

/**
 * Writes a planned change of a model whose uid stays the same. Its documents are converted in this transaction or by a
 * job.
 */
export async function changeModel(
  ctx: AppContext,
  affected: Affected,
  values: ModelValues,
): Promise<ModelRecord> {
  const changed = await updateModel(ctx.db, affected.model.scope, values)
  const model = await convertModel(ctx, changed, affected, affected.takesBack ? undefined : changed.version)
  if (affected.takesBack) await endChange(ctx.db, model.scope, affected.takesBack.version)
  await record(ctx, model, 'model.updated', { uid: model.uid, version: model.version })
  return model
}

/**
 * Returns the change that created this version of the model, to restore its fields. undefined: the change is not the
 * newest one that can be undone, or the changed fields in `to` differ from their state before the change. Throws
 * `ChangeCannotBeTakenBack` while documents are being converted.
 */
export async function keptChange(
  ctx: AppContext,
  { scope, conversions }: ModelRecord,
  version: number,
  to: Field[],
): Promise<Affected['takesBack']> {
  if (conversions.length > 0) throw cannotTakeBack('converting')
  const [change] = await listChanges(ctx.db, scope)
  if (change?.version !== version) return undefined
  const then = change.changes.map(({ from }) => from)
  const ids = new Set(then.map(({ _id }) => _id))
  const isSame =
    fieldChanges(
      then,
      to.filter(({ _id }) => ids.has(_id)),
    ).length === 0
  return isSame ? { version, changes: change.changes } : undefined
}
