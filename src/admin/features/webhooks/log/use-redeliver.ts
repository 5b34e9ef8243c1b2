import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import type { FormBody } from '#admin/lib/use-endpoint-form.ts'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { keepWebhook } from '../webhooks.queries.ts'

type Which = FormBody<'POST /api/project/{p}/webhook/{id}/delivery:redeliver'>['data']

/** Returns a mutation that sends requests of the log again: one by its `_id`, all failed ones, or all of a period. */
export function useRedeliver(p: string, { _id: id, paused, failingSince }: Webhook) {
  const t = useTranslations('webhooks.log.redeliver')
  const queryClient = useQueryClient()
  const isFailing = paused !== null || failingSince !== null
  return useMutation({
    async mutationFn(which: Which | { _id: string }) {
      if (!('_id' in which))
        return api('POST /api/project/{p}/webhook/{id}/delivery:redeliver', {
          params: { p, id },
          body: { data: which },
        })
      const params = { p, id, d: which._id }
      const { webhook } = await api('POST /api/project/{p}/webhook/{id}/delivery/{d}/redeliver', { params })
      return { webhook, count: 1 }
    },
    onSuccess: async ({ webhook, count }, which) => {
      const isRetry = 'state' in which && which.state === 'retrying'
      // If the receiver fails, the server sends one request first. Requests that wait for their first attempt are sent
      // too, but not counted.
      if ((isFailing && count > 1) || (isRetry && count === 0)) toast.success(t('probe'))
      else toast.success(count > 0 ? t('done', { count }) : t('nothing'))
      await keepWebhook(queryClient, p, webhook)
    },
  })
}
