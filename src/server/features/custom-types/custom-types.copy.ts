import { isDeepStrictEqual } from 'node:util'
import type { AppContext } from '#server/access/context.ts'
import { type CustomTypeRecord, lockModels, requireModel } from '#server/features/models/models.service.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { uses } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { neededTypes } from '#shared/fields/portable.ts'
import { targetUids } from '#shared/fields/references.ts'
import { insertCustomType, listCustomTypes } from './custom-types.service.ts'
import { openOtherApp, whenNotFound } from './other-apps.service.ts'

export interface CopySource {
  /** uid of the other app. */
  fromAppId: string
  /** A model there that uses the custom type. */
  fromModelUid: string
  customFieldTypeName: string
}

/**
 * Copies a custom type from another app, with those that it is made of; one of these that is here already by the same
 * uid and with the same fields is used as it is. Throws 400 naming what is not there (with `models` that its
 * references need), 403, 404, and `CustomFieldTypeIsAlreadyInUse` with the `customFieldTypes` that are other ones here.
 */
export async function copyCustomType(
  ctx: AppContext,
  modelUid: string,
  { fromAppId, fromModelUid, customFieldTypeName }: CopySource,
): Promise<{ customType: CustomTypeRecord; copied: CustomTypeRecord[] }> {
  await requireModel(ctx, modelUid)
  const models = await lockModels(ctx)
  const from = await openOtherApp(ctx, fromAppId)
  const types = await listCustomTypes(from)
  const { fields } = await requireModel(from, fromModelUid).catch(whenNotFound('fromModelUid'))
  const wanted = types.find(
    (type) => type.name === customFieldTypeName.trim() && uses(fields, type.uid, types),
  )
  if (!wanted) throw invalid('customFieldTypeName', 'InvalidValue')

  const needed = [...neededTypes(wanted.fields, types), wanted]
  const here = new Map((await listCustomTypes(ctx)).map((type) => [type.uid, type]))
  const others = needed.filter((type) => {
    const known = here.get(type.uid)
    return known && (type === wanted || !isDeepStrictEqual(withoutIds(known), withoutIds(type)))
  })
  if (others.length > 0)
    throw new AppError('CustomFieldTypeIsAlreadyInUse', {
      issues: [{ path: 'customFieldTypeName', code: 'DuplicatedValue' }],
      details: { customFieldTypes: others.map((type) => type.uid) },
    })
  const uids = new Set(models.map((model) => model.uid))
  const missing = [...new Set(needed.flatMap((type) => targetUids(type.fields)))].filter(
    (uid) => !uids.has(uid),
  )
  if (missing.length > 0)
    throw new AppError('ValidationFailed', {
      message: `The references of this custom field type need models of this app: ${missing.join(', ')}`,
      issues: [{ path: 'customFieldTypeName', code: 'InvalidValue' }],
      details: { models: missing },
    })

  const copied: CustomTypeRecord[] = []
  for (const { uid, name, description, fields: original } of needed) {
    if (here.has(uid)) continue
    const copy = original.map((field) => ({ ...field, _id: newId() }))
    copied.push(await insertCustomType(ctx, { uid, name, description, fields: copy }))
  }
  const customType = copied.at(-1)
  if (!customType) throw new TypeError('the custom type itself was not copied')
  return { customType, copied }
}

const withoutIds = ({ fields }: { fields: Field[] }) => fields.map(({ _id, ...field }) => field)
