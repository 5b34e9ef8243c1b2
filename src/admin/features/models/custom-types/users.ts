import type { ApiResponse } from '#admin/lib/api.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { uses } from '#shared/fields/custom-types.ts'
import { customTypesIn } from '#shared/fields/references.ts'
import type { Consequences } from '../model-editing.ts'

/** Who uses a custom type: models whose documents hold values of it, and what names it itself. */
export interface Users {
  /** Also by way of another type. */
  models: Model[]
  /** The models and types that name it: it cannot be deleted before they do so no more. */
  naming: { _id: string; name: string }[]
}

export function usersOf(uid: string, models: readonly Model[], types: readonly CustomType[]): Users {
  const names = ({ fields }: Pick<Model, 'fields'>) => customTypesIn(fields).some((type) => type.uid === uid)
  return {
    models: models.filter(({ fields }) => uses(fields, uid, types)),
    naming: [...models.filter(names), ...types.filter(names)],
  }
}

/** What would come of a change of a custom type, with the number of documents of each model. */
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
