import { Button } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'

/** There is nothing at this address, or nothing the caller may know of. */
export function NotFound() {
  const t = useTranslations('shell.notFound')
  return (
    <Page title={t('title')} width="narrow">
      <EmptyState
        icon={<IconMapOff size={36} stroke={1.4} aria-hidden="true" />}
        title={t('heading')}
        text={t('text')}
        action={
          <Button component={Link} to="/spaces" variant="default">
            {t('toSpaces')}
          </Button>
        }
      />
    </Page>
  )
}
