import { useTranslations } from 'use-intl'
import { PageTabs } from '#admin/ui/page-tabs.tsx'

/** The pages of the installation's admin. */
export function InstallationTabs() {
  const t = useTranslations('installation.tabs')
  return (
    <PageTabs
      label={t('label')}
      pages={[
        { to: '/admin/settings', label: t('settings') },
        { to: '/admin/accounts', label: t('accounts') },
        { to: '/admin/mails', label: t('mails') },
        { to: '/admin/jobs', label: t('jobs') },
        { to: '/admin/audit-log', label: t('auditLog') },
      ]}
    />
  )
}
