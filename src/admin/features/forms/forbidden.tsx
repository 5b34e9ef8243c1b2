import { IconLock } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'

/** Replaces a page of forms for users without the right to view them. */
export function Forbidden() {
  const t = useTranslations('forms')
  return (
    <Page title={t('title')}>
      <EmptyState
        icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
        title={t('forbidden')}
        text={t('forbiddenText')}
      />
    </Page>
  )
}
