import { useTranslations } from 'use-intl'
import { PageTabs } from '#admin/ui/page-tabs.tsx'

/** The tabs of the account pages. */
export function AccountTabs() {
  const t = useTranslations('accountSecurity.tabs')
  return (
    <PageTabs
      label={t('label')}
      pages={[
        { to: '/account', label: t('profile') },
        { to: '/account/security', label: t('security') },
        { to: '/account/two-factor', label: t('twoFactor') },
      ]}
    />
  )
}
