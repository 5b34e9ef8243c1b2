import type { SsoConnection } from '#shared/contract/sso.ts'

export const protocolNames = { saml: 'SAML 2.0', oidc: 'OpenID Connect' }

/** Returns whether an identifier, URL or certificate of the protocol was entered. */
export const isPrepared = ({ saml, oidc }: SsoConnection, kind: SsoConnection['kind']): boolean =>
  kind === 'saml'
    ? saml.entityId !== '' || saml.signInUrl !== '' || saml.certificates.length > 0
    : oidc.issuer !== '' || oidc.clientId !== ''
