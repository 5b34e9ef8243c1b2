import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { appQuery, customTypesQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { type ModelEditorWork, useApp, useEditorWork } from '../use-editor-work.ts'
import { withTotals } from './users.ts'

/** Returns the editing session of this page's custom type, connected to toasts and caches. */
export function useCustomTypeEditor(
  { p, a }: { p: string; a: string },
  customType: CustomType,
  models: readonly Model[],
  customTypes: readonly CustomType[],
): ModelEditorWork {
  const t = useTranslations('customTypes')
  const queryClient = useQueryClient()
  const app = useApp('customType', models, customTypes)
  const params = { p, a, id: customType._id }
  return useEditorWork(customType, app, {
    plan: async (_uidBefore, body) =>
      withTotals(
        await api('PUT /api/project/{p}/app/{a}/customFieldType/{id}', {
          params,
          body: { ...body, dryRun: true },
        }),
      ),
    send: async (_uidBefore, body) => {
      const sent = await api('PUT /api/project/{p}/app/{a}/customFieldType/{id}', { params, body })
      return sent.customFieldType
    },
    saved: async () => {
      toast.success(t('saved'))
      // All queries of the app are invalidated, because models refer to the type and their documents were converted.
      await queryClient.invalidateQueries({ queryKey: appQuery(p, a).queryKey })
    },
    failed: (error) => toast.error(errorText(error)),
    read: async () => {
      await queryClient.invalidateQueries({ queryKey: customTypesQuery(p, a).queryKey })
      return (await api('GET /api/project/{p}/app/{a}/customFieldType/{id}', { params })).customFieldType
    },
  })
}
