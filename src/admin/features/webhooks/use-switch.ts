import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { keepWebhook } from './webhooks.queries.ts'

/** Returns functions that turn a webhook on or off. A toast offers to undo the change. */
export function useSwitch(p: string, { _id: id, name }: Webhook) {
  const t = useTranslations('webhooks.switched')
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: ({ enabled }: { enabled: boolean; isUndo?: boolean }) =>
      api('PATCH /api/project/{p}/webhook/{id}', { params: { p, id }, body: { data: { enabled } } }),
    onSuccess: async ({ webhook }, { enabled, isUndo }) => {
      const undo = { label: t('undo'), run: () => change.mutate({ enabled: !enabled, isUndo: true }) }
      const { waiting } = webhook
      toast.success(
        enabled && waiting > 0
          ? t('onWaiting', { name, count: waiting })
          : t(enabled ? 'on' : 'off', { name }),
        isUndo ? undefined : undo,
      )
      await keepWebhook(queryClient, p, webhook)
    },
    meta: { ownErrors: true },
    onError: (error) => {
      const missing = missingRights(error)
      toast.error(missing ? t(`notEnabled.${missing}`, { name }) : errorText(error))
    },
  })
  return {
    /** The requested state while the server has not responded yet. null: no request is running. */
    asked: change.isPending ? change.variables.enabled : null,
    to: (enabled: boolean) => change.mutate({ enabled }),
  }
}

/** Returns the kind of data that the user may not read. null: the server refused the change for another reason. */
function missingRights(error: unknown): 'content' | 'media' | 'both' | null {
  if (!(error instanceof ApiError && error.code === 'Forbidden')) return null
  const paths = error.issues.filter(({ code }) => code === 'NotAllowed').map(({ path }) => path)
  if (paths.length === 0) return null
  const hasMedia = paths.includes('data.events')
  const hasContent = paths.some((path) => path !== 'data.events')
  return hasMedia ? (hasContent ? 'both' : 'media') : 'content'
}
