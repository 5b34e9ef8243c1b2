import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { type ModelEditorWork, useApp, useEditorWork } from './use-editor-work.ts'

/** Returns the editing session of this page's model, connected to toasts, caches and navigation. */
export function useModelEditor(
  { p, a }: { p: string; a: string },
  model: Model,
  models: readonly Model[],
  customTypes: readonly CustomType[],
): ModelEditorWork {
  const t = useTranslations('models.editor')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const app = useApp('model', models, customTypes)
  return useEditorWork(model, app, {
    plan: async (m, body) => {
      if (model.documentCount === 0) return { losses: [], site: [], blocked: [] }
      const { losses, site, blocked, documents } = await api('PUT /api/project/{p}/app/{a}/model/{m}', {
        params: { p, a, m },
        body: { ...body, dryRun: true },
      })
      return { losses: losses.map((loss) => ({ ...loss, total: documents })), site, blocked }
    },
    send: async (m, body) => {
      const sent = await api('PUT /api/project/{p}/app/{a}/model/{m}', { params: { p, a, m }, body })
      queryClient.setQueryData(modelQuery(p, a, sent.model.uid).queryKey, sent.model)
      return sent.model
    },
    saved: async ({ uid: m }, uidBefore) => {
      toast.success(t('saved'))
      const { queryKey } = modelQuery(p, a, m)
      void queryClient.invalidateQueries({ queryKey: modelsQuery(p, a).queryKey })
      // Lists and documents of this model depend on its fields, so their queries are invalidated.
      void queryClient.invalidateQueries({ queryKey, predicate: (query) => query.queryKey.length > 6 })
      if (m === uidBefore) return
      await navigate({ to: '/$p/$a/$m/-/model', params: { p, a, m }, replace: true, ignoreBlocker: true })
      queryClient.removeQueries({ queryKey: modelQuery(p, a, uidBefore).queryKey })
    },
    failed: (error) => toast.error(errorText(error)),
    read: (uid) => queryClient.fetchQuery({ ...modelQuery(p, a, uid), staleTime: 0 }),
  })
}
