import { IconCircleCheck, IconPlayerPause, IconTrash } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { StateChip } from '#admin/ui/state-chip.tsx'
import type { Form } from '#shared/contract/forms.ts'

/** Whether a form accepts submissions, as a chip. A form in the trash accepts none. */
export function FormState({ form: { enabled, deletedAt } }: { form: Pick<Form, 'enabled' | 'deletedAt'> }) {
  const t = useTranslations('forms.state')
  if (deletedAt !== null) return <StateChip color="gray" icon={IconTrash} text={t('trash')} />
  return enabled ? (
    <StateChip color="mizu" icon={IconCircleCheck} text={t('enabled')} />
  ) : (
    <StateChip color="gray" icon={IconPlayerPause} text={t('disabled')} />
  )
}
