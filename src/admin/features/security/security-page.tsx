import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { SecurityTabs } from '#admin/features/shell/security-tabs.tsx'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { securityQuery } from './security.queries.ts'
import { SecurityForm } from './security-form.tsx'

/** `/{p}/-/security` */
export function SecurityPage() {
  const t = useTranslations('security')
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  return (
    <Page title={t('title')} description={t('text')} width="narrow">
      {can('security.manage') ? (
        <>
          <SecurityTabs />
          <Settings p={p} />
        </>
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

function Settings({ p }: { p: string }) {
  const { data, error, refetch } = useQuery(securityQuery(p))
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  return (
    <SecurityForm key={data.security.version} p={p} security={data.security} yourAddress={data.yourAddress} />
  )
}
