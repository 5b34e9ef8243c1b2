import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { SecurityFrame } from '#admin/features/shell/security-frame.tsx'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { groupRolesQuery } from './group-roles.queries.ts'
import { GroupRolesForm } from './group-roles-form.tsx'

/** `/{p}/-/group-roles` */
export function GroupRolesPage() {
  const t = useTranslations('groupRoles')
  const { p } = spaceRoute.useParams()
  return (
    <SecurityFrame p={p} title={t('title')} text={t('text')}>
      <Groups p={p} />
    </SecurityFrame>
  )
}

function Groups({ p }: { p: string }) {
  const { data, error, refetch } = useQuery(groupRolesQuery(p))
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  return <GroupRolesForm key={data.groupRoles.version} p={p} groupRoles={data.groupRoles} />
}
