import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import type { FormBody } from '#admin/lib/use-endpoint-form.ts'
import { keepWebhook } from '../webhooks.queries.ts'

export type Which = FormBody<'POST /api/project/{p}/webhook/{id}/replay'>['data']

/** Returns a mutation that sends requests of the log again and reports their number. */
export function useReplay(p: string, id: string) {
  const t = useTranslations('webhooks.log.replay')
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (data: Which) =>
      api('POST /api/project/{p}/webhook/{id}/replay', { params: { p, id }, body: { data } }),
    onSuccess: async ({ webhook, count }) => {
      toast.success(count > 0 ? t('done', { count }) : t('nothing'))
      await keepWebhook(queryClient, p, webhook)
    },
  })
}
