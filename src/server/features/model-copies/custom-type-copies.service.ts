import type { AppContext } from '#server/access/context.ts'
import { listCustomTypes } from '#server/features/custom-types/custom-types.service.ts'
import { type CustomTypeRecord, requireModel } from '#server/features/models/models.service.ts'
import {
  lockSchema,
  merge,
  requireWhole,
  writeMerged,
} from '#server/features/schema-merge/schema-merge.service.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { uses } from '#shared/fields/custom-types.ts'
import { neededTypes, portableType } from '#shared/fields/portable.ts'
import { openOtherApp, whenNotFound } from './other-apps.ts'

export interface CopySource {
  /** uid of the other app. */
  fromAppId: string
  /** A model of that app that uses the custom type. */
  fromModelUid: string
  customFieldTypeName: string
}

/**
 * Copies a custom type from another app, with the custom types that it uses. Used types that this app already has with
 * the same uid and fields are reused. Throws 403, and 404 for an unknown `modelUid`. Throws 400 for an unknown source.
 * Throws 400 with the missing `models` if the type references models that this app lacks.
 *
 * Throws `CustomFieldTypeIsAlreadyInUse` with the `customFieldTypes` that differ in this app, or with the copied type
 * itself if this app has its uid.
 */
export async function copyCustomType(
  ctx: AppContext,
  modelUid: string,
  { fromAppId, fromModelUid, customFieldTypeName }: CopySource,
): Promise<{ customType: CustomTypeRecord; copied: CustomTypeRecord[] }> {
  await requireModel(ctx, modelUid)
  const here = await lockSchema(ctx)
  const from = await openOtherApp(ctx, fromAppId)
  const types = await listCustomTypes(from)
  const { fields } = await requireModel(from, fromModelUid).catch(whenNotFound('fromModelUid'))
  const wanted = types.find(
    (type) => type.name === customFieldTypeName.trim() && uses(fields, type.uid, types),
  )
  if (!wanted) throw invalid('customFieldTypeName', 'InvalidValue')

  const customTypes = [
    ...neededTypes(wanted.fields, types).map((type) => ({
      ...portableType(type),
      whenHere: 'same' as const,
    })),
    { ...portableType(wanted), whenHere: 'refuse' as const },
  ]
  const merged = merge({ theirs: { customTypes, models: [] }, here })
  const others = merged.refusals.flatMap(({ reason, uid }) => (reason === 'taken' ? [uid] : []))
  if (others.length > 0)
    throw new AppError('CustomFieldTypeIsAlreadyInUse', {
      issues: [{ path: 'customFieldTypeName', code: 'DuplicatedValue' }],
      details: { customFieldTypes: others },
    })
  const missing = [...new Set(merged.refusals.flatMap(({ lacking = [] }) => lacking))]
  if (missing.length > 0)
    throw new AppError('ValidationFailed', {
      message: `The references of this custom field type need models of this app: ${missing.join(', ')}`,
      issues: [{ path: 'customFieldTypeName', code: 'InvalidValue' }],
      details: { models: missing },
    })
  requireWhole(merged)
  const { customTypes: copied } = await writeMerged(ctx, merged)
  const customType = copied.at(-1)
  if (!customType) throw new TypeError('the custom type itself was not copied')
  return { customType, copied }
}
