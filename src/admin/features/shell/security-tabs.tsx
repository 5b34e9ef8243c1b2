import { useTranslations } from 'use-intl'
import { PageTabs } from '#admin/ui/page-tabs.tsx'

/** The pages about who comes into a space, and how. */
export function SecurityTabs() {
  const t = useTranslations('security.tabs')
  return (
    <PageTabs
      label={t('label')}
      pages={[
        { to: '/$p/-/security', label: t('rules') },
        { to: '/$p/-/sso', label: t('sso') },
        { to: '/$p/-/group-roles', label: t('groupRoles') },
        { to: '/$p/-/scim', label: t('scim') },
      ]}
    />
  )
}
