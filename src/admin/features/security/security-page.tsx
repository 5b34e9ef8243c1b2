import { useTranslations } from 'use-intl'
import { SecuritySettingsPage } from '#admin/features/shell/security-settings-page.tsx'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { securityQuery } from './security.queries.ts'
import { SecurityForm } from './security-form.tsx'

/** `/{p}/-/security` */
export function SecurityPage() {
  const t = useTranslations('security')
  const { p } = spaceRoute.useParams()
  return (
    <SecuritySettingsPage p={p} title={t('title')} text={t('text')} query={securityQuery(p)}>
      {({ security, yourAddress }) => (
        <SecurityForm key={security.version} p={p} security={security} yourAddress={yourAddress} />
      )}
    </SecuritySettingsPage>
  )
}
