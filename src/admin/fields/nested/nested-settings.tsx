import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'

/** What the values are made of is said through the API. */
export function NestedSettingsForm() {
  const t = useTranslations('fields.nested')
  return (
    <Text size="sm" c="dimmed">
      {t('settings')}
    </Text>
  )
}
