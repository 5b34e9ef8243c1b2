import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'

/** There is nothing to be set. */
export function EmbedSettingsForm() {
  const t = useTranslations('fields.embed')
  return (
    <Text size="sm" c="dimmed">
      {t('noSettings')}
    </Text>
  )
}
