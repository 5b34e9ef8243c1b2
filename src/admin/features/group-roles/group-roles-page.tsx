import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { SecurityTabs } from '#admin/features/shell/security-tabs.tsx'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { groupRolesQuery } from './group-roles.queries.ts'
import { GroupRolesForm } from './group-roles-form.tsx'

/** `/{p}/-/group-roles` */
export function GroupRolesPage() {
  const t = useTranslations('groupRoles')
  const security = useTranslations('security')
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  return (
    <Page title={t('title')} description={t('text')} width="narrow">
      {can('security.manage') ? (
        <>
          <SecurityTabs />
          <Groups p={p} />
        </>
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={security('forbidden')}
          text={security('forbiddenText')}
        />
      )}
    </Page>
  )
}

function Groups({ p }: { p: string }) {
  const { data, error, refetch } = useQuery(groupRolesQuery(p))
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  return <GroupRolesForm key={data.groupRoles.version} p={p} groupRoles={data.groupRoles} />
}
