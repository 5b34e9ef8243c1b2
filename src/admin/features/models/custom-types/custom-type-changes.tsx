import { api } from '#admin/lib/api.ts'
import { appQuery } from '#admin/lib/queries.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { type ChangesApi, TakeBack } from '../take-back.tsx'
import { withTotals } from './users.ts'

interface CustomTypeChangesProps {
  /** The saved custom type. */
  customType: CustomType
  /** The models that use it. */
  users: readonly Model[]
  place: { p: string; a: string }
  readOnly: boolean
}

/** The changes of the custom type that can be reverted, in all models that use it. */
export function CustomTypeChanges({ customType, users, place, readOnly }: CustomTypeChangesProps) {
  const params = { ...place, id: customType._id }
  const take = (body: { version: number; acceptLoss?: boolean; dryRun?: boolean }) =>
    api('POST /api/project/{p}/app/{a}/customFieldType/{id}/change:takeBack', { params, body })
  const changes: ChangesApi = {
    list: async (signal) =>
      (await api('GET /api/project/{p}/app/{a}/customFieldType/{id}/change', { params, signal })).changes,
    plan: async (version) => withTotals(await take({ version, dryRun: true })),
    takeBack: (version, acceptLoss) => take({ version, acceptLoss }),
    confirm: async (version) =>
      (
        await api('POST /api/project/{p}/app/{a}/customFieldType/{id}/change:confirm', {
          params,
          body: { version },
        })
      ).changes,
  }
  return (
    <TakeBack
      of={customType}
      // All queries of the app are invalidated, because models refer to the type and their documents are converted.
      queryKey={appQuery(place.p, place.a).queryKey}
      api={changes}
      models={users}
      readOnly={readOnly}
      busy={users.some(({ conversion }) => conversion !== null)}
    />
  )
}
