import { Button, Text } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { endPreview, usePreview } from '#admin/lib/preview.ts'
import classes from './members-page.module.css'

/** A banner during a preview with the rights of a member: names the member, and has a button to end the preview. */
export function PreviewBanner() {
  const t = useTranslations('members.preview')
  const preview = usePreview()
  if (!preview) return null
  return (
    <aside className={classes.banner} aria-label={t('banner', { name: preview.name })}>
      <IconEye size={20} aria-hidden="true" />
      <Text size="sm" fw={600} role="status">
        {t('banner', { name: preview.name })}
      </Text>
      <Text size="sm" c="dimmed">
        {t('text')}
      </Text>
      <Button size="xs" variant="light" color="orange" onClick={() => void endPreview()}>
        {t('end')}
      </Button>
    </aside>
  )
}
