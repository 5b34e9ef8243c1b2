import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { uses } from '#shared/fields/custom-types.ts'
import { customTypesIn } from '#shared/fields/references.ts'

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
