import { Button } from '@mantine/core'
import { IconFileExport, IconLock } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { appsQuery, spaceQuery } from '#admin/lib/queries.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { Export } from './export-sections.tsx'

/** `/{p}/-/export` */
export function SpaceExportPage() {
  const t = useTranslations('appExports')
  const { p } = spaceRoute.useParams()
  const { data: space } = useSuspenseQuery(spaceQuery(p))
  const can = useCanInSpace(p)
  return (
    <Page
      title={t('title')}
      description={space.name}
      width="narrow"
      actions={
        <Button variant="default" component={Link} {...{ to: `/${p}/-/settings` }}>
          {t('space.back')}
        </Button>
      }
    >
      {can('app.manage') ? (
        <SpaceExport p={p} />
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('space.forbidden')}
          text={t('space.forbiddenText')}
        />
      )}
    </Page>
  )
}

function SpaceExport({ p }: { p: string }) {
  const t = useTranslations('appExports')
  const { data: apps, error, refetch } = useQuery(appsQuery(p))
  if (!apps) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  if (apps.length > 0) return <Export p={p} />
  return (
    <EmptyState
      icon={<IconFileExport size={36} stroke={1.4} aria-hidden="true" />}
      title={t('space.empty')}
      text={t('space.emptyText')}
    />
  )
}
