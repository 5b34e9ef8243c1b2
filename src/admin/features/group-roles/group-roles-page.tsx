import { useTranslations } from 'use-intl'
import { SecuritySettingsPage } from '#admin/features/shell/security-settings-page.tsx'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { groupRolesQuery } from './group-roles.queries.ts'
import { GroupRolesForm } from './group-roles-form.tsx'

/** `/{p}/-/group-roles` */
export function GroupRolesPage() {
  const t = useTranslations('groupRoles')
  const { p } = spaceRoute.useParams()
  return (
    <SecuritySettingsPage p={p} title={t('title')} text={t('text')} query={groupRolesQuery(p)}>
      {({ groupRoles }) => <GroupRolesForm key={groupRoles.version} p={p} groupRoles={groupRoles} />}
    </SecuritySettingsPage>
  )
}
