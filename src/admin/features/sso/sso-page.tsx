import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { SecurityFrame } from '#admin/features/shell/security-frame.tsx'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { Certificates } from './certificates.tsx'
import { DeleteSso, SignInTest } from './connection-parts.tsx'
import { Domains } from './domains.tsx'
import { Refusals } from './refusals.tsx'
import { ssoQuery } from './sso.queries.ts'
import { SsoForm } from './sso-form.tsx'

/** `/{p}/-/sso` */
export function SsoPage() {
  const t = useTranslations('sso')
  const { p } = spaceRoute.useParams()
  return (
    <SecurityFrame p={p} title={t('title')} text={t('text')}>
      <Settings p={p} />
    </SecurityFrame>
  )
}

function Settings({ p }: { p: string }) {
  const { data, error, refetch } = useQuery(ssoQuery(p))
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  const { sso, ours } = data
  return (
    <>
      <SsoForm key={sso?.version ?? 0} p={p} saved={sso} ours={ours} />
      {sso && sso.domains.length > 0 && <Domains p={p} domains={sso.domains} />}
      {sso?.kind === 'saml' && <Certificates p={p} certificates={sso.saml.certificates} />}
      {sso && <SignInTest p={p} sso={sso} />}
      {sso && <Refusals p={p} />}
      {sso && <DeleteSso p={p} />}
    </>
  )
}
