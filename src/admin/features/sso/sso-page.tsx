import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { SecurityTabs } from '#admin/features/shell/security-tabs.tsx'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { Certificates } from './certificates.tsx'
import { ConnectionParts } from './connection-parts.tsx'
import { ssoQuery } from './sso.queries.ts'
import { SsoForm } from './sso-form.tsx'

/** `/{p}/-/sso` */
export function SsoPage() {
  const t = useTranslations('sso')
  const security = useTranslations('security')
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
          title={security('forbidden')}
          text={security('forbiddenText')}
        />
      )}
    </Page>
  )
}

function Settings({ p }: { p: string }) {
  const { data, error, refetch } = useQuery(ssoQuery(p))
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  const { sso } = data
  return (
    <>
      <SsoForm key={sso?.version ?? 0} p={p} saved={sso} />
      {sso?.kind === 'saml' && <Certificates p={p} certificates={sso.saml.certificates} />}
      {sso && <ConnectionParts p={p} sso={sso} />}
    </>
  )
}
