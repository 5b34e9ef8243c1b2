import { useNow, useTranslations } from 'use-intl'
import type { Webhook, WebhookDelivery } from '#shared/contract/webhooks.ts'
import { useEndWords } from '../webhook-state.tsx'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/**
 * Returns the time of the next attempt of a waiting request, or the reason why it waits. The text is updated every
 * second. null: the request does not wait, or the time of its first attempt has passed.
 */
export function useDue(webhook: Webhook, delivery: WebhookDelivery): string | null {
  const t = useTranslations('webhooks.log.due')
  const exact = useEndWords()
  const isWaiting = delivery.state === 'waiting'
  const now = useNow(isWaiting ? { updateInterval: second } : {}).getTime()
  if (!isWaiting) return null
  const { enabled, paused, retryAfter } = webhook
  if (!enabled) return t('disabled')
  const heldUntil = retryAfter === null ? 0 : Date.parse(retryAfter)
  const pausedUntil = paused === null ? 0 : Date.parse(paused.until)
  if (paused && pausedUntil >= heldUntil)
    return pausedUntil > now ? t('paused', { time: exact(pausedUntil) }) : t('probe')
  const nextAt = delivery.nextAt === null ? 0 : Date.parse(delivery.nextAt)
  if (heldUntil > now && heldUntil >= nextAt) return t('held', { time: exact(heldUntil) })
  if (paused) return t('probe')
  const isRetry = delivery.reason !== null
  const left = nextAt - now
  // A first attempt that is overdue may wait for another request, so its time is not known.
  if (left <= 0) return isRetry ? t('retrySoon') : null
  if (left >= hour) return t(isRetry ? 'retryFrom' : 'sendFrom', { time: exact(nextAt) })
  const time =
    left < minute
      ? t('seconds', { count: Math.ceil(left / second) })
      : t('minutes', { count: Math.ceil(left / minute) })
  return t(isRetry ? 'retry' : 'send', { time })
}
