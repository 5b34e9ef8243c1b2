import { loadScript } from '#admin/base/reload-guard.ts'
import { customTypesQuery } from '#admin/lib/queries.ts'
import { queryClient } from '#admin/lib/query-client.ts'
import type { Model } from '#shared/contract/models.ts'
import { namesCustomTypes } from '#shared/fields/custom-types.ts'
import { knownCustomTypes, type ModelPlace } from '../documents.queries.ts'
import { fieldsOf, formFields, isSameForm, resolvedFields } from './form-fields.ts'
import type { FoundCopy } from './unsaved-copies.ts'

/**
 * Adapts copies to the current fields of the model. Values that fit no field go to `left`. The stored copies stay
 * unchanged.
 */
export async function fitCopies(
  copies: readonly FoundCopy[],
  model: Model,
  place: ModelPlace,
): Promise<FoundCopy[]> {
  if (copies.length === 0) return []
  if (namesCustomTypes(model.fields)) await customTypes(place)
  const now = formFields(model, knownCustomTypes(place)) ?? { fields: model.fields, types: [] }
  const isFitting = ({ values, form = { fields: [], types: [] } }: FoundCopy) =>
    form.fields.length === 0
      ? Object.keys(values).every((uid) => now.fields.some((field) => field.uid === uid))
      : isSameForm(form, fieldsOf(now, Object.keys(values)))
  if (copies.every(isFitting)) return [...copies]
  const { carryValues } = await loadScript(() => import('./carry-values.ts'))
  return copies.map((copy) => {
    if (isFitting(copy)) return copy
    const { values, left } = carryValues(
      copy.values,
      copy.form ? resolvedFields(copy.form) : [],
      resolvedFields(now),
    )
    return { ...copy, values, left: [...(copy.left ?? []), ...left] }
  })
}

/** Loads the custom types. If the request fails, values of custom types go to `left`, unless the copy has no `form`. */
const customTypes = ({ p, a }: ModelPlace) =>
  queryClient.ensureQueryData({ ...customTypesQuery(p, a), retry: false }).catch(() => [])
