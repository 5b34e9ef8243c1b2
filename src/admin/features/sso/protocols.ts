import type { SsoConnection } from '#shared/contract/sso.ts'

export const protocolNames = { saml: 'SAML 2.0', oidc: 'OpenID Connect' }

/** Returns whether the protocol has any settings. */
export const isPrepared = ({ saml, oidc }: SsoConnection, kind: SsoConnection['kind']): boolean =>
  kind === 'saml'
    ? saml.entityId !== '' || saml.signInUrl !== '' || saml.certificates.length > 0
    : oidc.issuer !== '' || oidc.clientId !== ''
