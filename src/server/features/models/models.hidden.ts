import type { AppContext } from '#server/access/context.ts'
import { readsModelOf } from '#server/access/grants.ts'
import type { Field } from '#shared/fields/index.ts'
import { hiddenModelName } from '#shared/fields/reference.ts'
import { repoint, targetUids } from '#shared/fields/references.ts'
import * as models from './models.repository.ts'

/*
 * Hides the uids of models that the caller may not read: fields that refer to them contain a placeholder. Roles that
 * may change models see all models (`ofWholeApps`), so placeholders are not saved.
 */

type Reader = Pick<AppContext, 'db' | 'scope' | 'grants'>

/** Returns the models or custom types `owners` with a placeholder for each unreadable model in their fields. */
export async function concealed<T extends { fields: Field[] }>(ctx: Reader, owners: T[]): Promise<T[]> {
  const { elsewhere, models: single } = ctx.grants
  const readsAll = [{ rights: elsewhere }, ...single.values()].every(({ rights }) =>
    rights.has('document.read'),
  )
  if (readsAll || owners.every(({ fields }) => targetUids(fields).length === 0)) return owners
  const all = await models.listModels(ctx.db, ctx.scope)
  const hidden = all.filter(({ publicId }) => !readsModelOf(ctx.grants, publicId))
  const conceal = (field: Field) =>
    hidden.reduce((one, { uid, publicId }) => repoint(one, uid, hiddenModelName(publicId)), field)
  return owners.map((owner) => ({ ...owner, fields: owner.fields.map(conceal) }))
}

/** Returns one model or custom type like {@link concealed}. */
export async function concealedOne<T extends { fields: Field[] }>(ctx: Reader, owner: T): Promise<T> {
  const [shown = owner] = await concealed(ctx, [owner])
  return shown
}
