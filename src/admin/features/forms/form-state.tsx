import { IconCircleCheck, IconPlayerPause } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { StateChip } from '#admin/ui/state-chip.tsx'

/** Whether a form accepts submissions, as a chip. */
export function FormState({ enabled }: { enabled: boolean }) {
  const t = useTranslations('forms.state')
  return enabled ? (
    <StateChip color="mizu" icon={IconCircleCheck} text={t('enabled')} />
  ) : (
    <StateChip color="gray" icon={IconPlayerPause} text={t('disabled')} />
  )
}
