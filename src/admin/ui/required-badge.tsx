import { Badge } from '@mantine/core'
import { useTranslations } from 'use-intl'

/** The badge 必須 next to the name of a field. */
export function RequiredBadge() {
  const t = useTranslations('common')
  return (
    <Badge size="xs" variant="light" color="red" c="var(--mantine-color-error)" tt="none" radius="sm">
      {t('required')}
    </Badge>
  )
}
