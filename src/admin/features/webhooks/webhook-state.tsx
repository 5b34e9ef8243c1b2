import { IconAlertTriangle, IconCircleCheck, IconClock, IconPlayerPause } from '@tabler/icons-react'
import { useFormatter, useNow, useTranslations } from 'use-intl'
import { StateChip } from '#admin/ui/state-chip.tsx'
import type { Webhook, WebhookEvent } from '#shared/contract/webhooks.ts'

/** The state of a webhook, and the number of waiting requests. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const t = useTranslations('webhooks.state')
  const { enabled, paused, failures, waiting, retryAfter, disabledAt } = webhook
  const isOver = useIsOver(webhook)
  const date = useEndWords()
  return (
    <>
      {disabledAt ? (
        <StateChip color="red" icon={IconAlertTriangle} text={t('gone')} />
      ) : !enabled ? (
        <StateChip color="gray" icon={IconPlayerPause} text={t('disabled')} />
      ) : paused ? (
        <StateChip
          color="red"
          icon={IconAlertTriangle}
          text={isOver(paused.until) ? t('pauseEnded') : t('paused', { time: date(paused.until) })}
        />
      ) : retryAfter && !isOver(retryAfter) ? (
        <StateChip color="orange" icon={IconClock} text={t('held', { time: date(retryAfter) })} />
      ) : failures > 0 ? (
        <StateChip color="red" icon={IconAlertTriangle} text={t('failing', { count: failures })} />
      ) : (
        <StateChip color="mizu" icon={IconCircleCheck} text={t('enabled')} />
      )}
      {waiting > 0 && <StateChip color="orange" icon={IconClock} text={t('waiting', { count: waiting })} />}
    </>
  )
}

/**
 * Returns a function that checks whether a pause or a time to wait has ended. While a webhook has one, the component is
 * rendered every second, because its data does not change when the time has passed.
 */
export function useIsOver({ paused, retryAfter }: Pick<Webhook, 'paused' | 'retryAfter'>) {
  useNow(paused || retryAfter ? { updateInterval: 1000 } : {})
  return (until: string) => Date.parse(until) <= Date.now()
}

/** Returns a function that formats a future time: with seconds and without a date if it is less than an hour away. */
export function useEndWords() {
  const format = useFormatter()
  return (at: string | number) => {
    const date = new Date(at)
    const isSoon = date.getTime() - Date.now() < 3_600_000
    return format.dateTime(
      date,
      isSoon ? { timeStyle: 'medium' } : { dateStyle: 'short', timeStyle: 'short' },
    )
  }
}

/** Shows result and time of the latest attempt to send an event. */
export function LastResult({ last }: Pick<Webhook, 'last'>) {
  const t = useTranslations('webhooks.last')
  const format = useFormatter()
  if (!last) return t('none')
  return t(last.state, {
    time: format.dateTime(new Date(last.at), { dateStyle: 'medium', timeStyle: 'short' }),
  })
}

/** Returns a function that lists events: the first names, and the number of other events. */
export function useEventWords() {
  const t = useTranslations('webhooks')
  const format = useFormatter()
  const shown = 3
  return (events: readonly (WebhookEvent | 'test')[]) => {
    const names = events.slice(0, shown).map((event) => t(`events.${event}.name`))
    const more = events.length - shown
    return format.list(more > 0 ? [...names, t('more', { count: more })] : names)
  }
}

/** Returns the host of a URL, which is enough to recognise a receiver. URLs often contain secrets. */
export const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url)
