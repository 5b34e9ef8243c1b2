import { IconAlertTriangle, IconCircleCheck, IconClock, IconRefreshAlert } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { StateChip } from '#admin/ui/state-chip.tsx'
import type { WebhookDelivery } from '#shared/contract/webhooks.ts'

const looks = {
  waiting: { color: 'orange', icon: IconClock },
  sent: { color: 'mizu', icon: IconCircleCheck },
  retrying: { color: 'red', icon: IconRefreshAlert },
  failed: { color: 'red', icon: IconAlertTriangle },
} as const

/** The state of a request as a chip. A waiting request with a failed attempt has a separate state. */
export function WebhookDeliveryState({ state, reason }: Pick<WebhookDelivery, 'state' | 'reason'>) {
  const t = useTranslations('webhooks.log.states')
  const shown = state === 'waiting' && reason !== null ? 'retrying' : state
  return <StateChip {...looks[shown]} text={t(shown)} />
}
