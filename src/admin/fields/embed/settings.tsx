import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'

/** States that embed fields have no settings. */
export function EmbedSettingsForm() {
  const t = useTranslations('fields.embed')
  return (
    <Text size="sm" c="dimmed">
      {t('noSettings')}
    </Text>
  )
}
