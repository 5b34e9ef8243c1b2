import { Button } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { appQuery } from '#admin/lib/queries.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import { Export } from './export-sections.tsx'

/** `/{p}/{a}/-/export` */
export function AppExportPage() {
  const t = useTranslations('appExports')
  const { p, a } = appRoute.useParams()
  const { data: app } = useSuspenseQuery(appQuery(p, a))
  const can = useCanInApp(p, a)
  return (
    <Page
      title={t('title')}
      description={app.name}
      width="narrow"
      actions={
        <Button variant="default" component={Link} {...{ to: `/${p}/${a}/-/settings` }}>
          {t('back')}
        </Button>
      }
    >
      {can('app.manage') ? (
        <Export p={p} a={a} />
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      )}
    </Page>
  )
}
