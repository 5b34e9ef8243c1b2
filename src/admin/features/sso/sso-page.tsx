import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { SecuritySettingsPage } from '#admin/features/shell/security-settings-page.tsx'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import type { ResponseOf } from '#shared/contract/endpoint.ts'
import type { SsoConnection, ssoEndpoints } from '#shared/contract/sso.ts'
import { Certificates } from './certificates.tsx'
import { DeleteSso } from './delete-sso.tsx'
import { Domains } from './domains.tsx'
import { OtherProtocol } from './other-protocol.tsx'
import { isPrepared } from './protocols.ts'
import { Refusals } from './refusals.tsx'
import { SignInTest } from './sign-in-test.tsx'
import { ssoQuery } from './sso.queries.ts'
import { SsoForm, valuesOf } from './sso-form.tsx'

/** `/{p}/-/sso` */
export function SsoPage() {
  const t = useTranslations('sso')
  const { p } = spaceRoute.useParams()
  return (
    <SecuritySettingsPage p={p} title={t('title')} text={t('text')} query={ssoQuery(p)}>
      {(data) => <SsoSettings p={p} {...data} />}
    </SecuritySettingsPage>
  )
}

type Settings = ResponseOf<(typeof ssoEndpoints)['getSso']>

/** The sections of the SSO page. */
export function SsoSettings({ p, sso, ours }: { p: string } & Settings) {
  const [shown, show] = useState<SsoConnection['kind']>()
  const [saves, setSaves] = useState(0)
  return (
    <>
      <SsoForm
        // Apart from `saves`, the key contains only values of the form. A change by another section therefore keeps
        // unsaved input.
        key={`${saves} ${JSON.stringify(valuesOf(sso))}`}
        p={p}
        saved={sso}
        ours={ours}
        kind={shown ?? sso?.kind ?? 'saml'}
        show={show}
        onSaved={() => setSaves(saves + 1)}
      />
      {sso && sso.domains.length > 0 && <Domains p={p} domains={sso.domains} />}
      {sso && (sso.kind === 'saml' || isPrepared(sso, 'saml')) && (
        <Certificates p={p} certificates={sso.saml.certificates} />
      )}
      {sso && <SignInTest p={p} sso={sso} />}
      {sso?.isComplete && isPrepared(sso, sso.kind === 'saml' ? 'oidc' : 'saml') && (
        <OtherProtocol p={p} sso={sso} />
      )}
      {sso && <Refusals p={p} />}
      {sso && <DeleteSso p={p} />}
    </>
  )
}
