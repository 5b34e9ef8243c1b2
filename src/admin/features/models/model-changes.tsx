import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { ConversionNotice } from '#admin/ui/conversion-notice.tsx'
import type { Model } from '#shared/contract/models.ts'
import { type ChangesApi, TakeBack } from './take-back.tsx'

interface ModelChangesProps {
  /** The saved model. */
  model: Model
  place: { p: string; a: string }
  readOnly: boolean
}

/** The progress of converting documents, and the changes that can be reverted. */
export function ModelChanges({ model, place, readOnly }: ModelChangesProps) {
  const t = useTranslations('models.takeBack')
  const queryClient = useQueryClient()
  const params = { ...place, m: model.uid }
  const { queryKey } = modelQuery(place.p, place.a, model.uid)

  async function goOn() {
    try {
      const { model: next } = await api('POST /api/project/{p}/app/{a}/model/{m}/conversion', { params })
      queryClient.setQueryData(queryKey, next)
      toast.success(t('continued'))
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  const take = (body: { version: number; acceptLoss?: boolean; dryRun?: boolean }) =>
    api('POST /api/project/{p}/app/{a}/model/{m}/change:takeBack', { params, body })
  const changes: ChangesApi = {
    list: async (signal) =>
      (await api('GET /api/project/{p}/app/{a}/model/{m}/change', { params, signal })).changes,
    plan: async (version) => {
      const { losses, site, blocked, documents } = await take({ version, dryRun: true })
      return { losses: losses.map((loss) => ({ ...loss, total: documents })), site, blocked }
    },
    takeBack: (version, acceptLoss) => take({ version, acceptLoss }),
    confirm: async (version) =>
      (await api('POST /api/project/{p}/app/{a}/model/{m}/change:confirm', { params, body: { version } }))
        .changes,
  }
  return (
    <>
      <ConversionNotice conversion={model.conversion} onContinue={readOnly ? undefined : () => void goOn()} />
      <TakeBack
        of={model}
        queryKey={queryKey}
        api={changes}
        models={[]}
        readOnly={readOnly}
        busy={model.conversion !== null}
      />
    </>
  )
}
