import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
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
      toast.success(t(enabled ? 'on' : 'off', { name }), isUndo ? undefined : undo)
      await keepWebhook(queryClient, p, webhook)
    },
  })
  return {
    /** The requested state while the server has not responded yet. null: no request is running. */
    asked: change.isPending ? change.variables.enabled : null,
    to: (enabled: boolean) => change.mutate({ enabled }),
  }
}
