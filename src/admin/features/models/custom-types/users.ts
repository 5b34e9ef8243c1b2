import type { ApiResponse } from '#admin/lib/api.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { uses } from '#shared/fields/custom-types.ts'
import { customTypesIn } from '#shared/fields/references.ts'
import type { Consequences } from '../model-editing.ts'

/** The uses of a custom type: models whose documents contain it, and models and types that refer to it directly. */
export interface Users {
  /** Models that use it directly or through another type. */
  models: Model[]
  /** Models and types that refer to it directly. It cannot be deleted while there are any. */
  naming: { _id: string; name: string }[]
}

export function usersOf(uid: string, models: readonly Model[], types: readonly CustomType[]): Users {
  const names = ({ fields }: Pick<Model, 'fields'>) => customTypesIn(fields).some((type) => type.uid === uid)
  return {
    models: models.filter(({ fields }) => uses(fields, uid, types)),
    naming: [...models.filter(names), ...types.filter(names)],
  }
}

/**
 * Returns the consequences of a custom type change from the server's response. Adds `total` to each loss: the number of
 * documents of its model.
 */
export const withTotals = ({
  losses,
  models,
  site,
  blocked,
}: ApiResponse<'PUT /api/project/{p}/app/{a}/customFieldType/{id}'>): Consequences => ({
  losses: losses.map((loss) => ({
    ...loss,
    total: models.find(({ uid }) => uid === loss.model)?.documents ?? 0,
  })),
  site,
  blocked,
})
