import { useTranslations } from 'use-intl'
import type { WebhookDelivery } from '#shared/contract/webhooks.ts'

/**
 * Returns a function that describes why a request or an attempt failed, with the HTTP status or the system's error
 * code. The text is empty if there is no reason.
 */
export function useReasonWords() {
  const t = useTranslations('webhooks.reasons')
  return ({
    reason,
    status,
    detail = '',
  }: Pick<WebhookDelivery, 'reason' | 'status'> & { detail?: string }) => {
    if (reason === null) return ''
    if (reason === 'status') {
      if (status !== null && status >= 300 && status < 400) return t('redirect', { status })
      if (status === 401 || status === 403) return t('refused', { status })
      if (status === 404) return t('notFound', { status })
      if (status === 410) return t('gone', { status })
      if (status === 429) return t('busy', { status })
      return t('status', { status: status ?? 0 })
    }
    return detail ? t('withDetail', { text: t(reason), detail }) : t(reason)
  }
}
