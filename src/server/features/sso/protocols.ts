import type { ConnectionRow, OidcSettings, SamlSettings } from './sso.repository.ts'

/*
 * A connection keeps the settings of both protocols. Users sign in with the protocol in `kind` (docs/decisions/0116).
 */

export type Protocol = ConnectionRow['kind']

type Settings = Pick<ConnectionRow, 'saml' | 'oidc' | 'secret'>

/** Returns whether the protocol has all settings that a sign-in needs. */
export const isComplete = ({ saml, oidc, secret }: Settings, protocol: Protocol): boolean =>
  protocol === 'saml'
    ? saml.entityId !== '' && saml.signInUrl !== '' && saml.certificates.length > 0
    : oidc.issuer !== '' && oidc.clientId !== '' && secret !== null

/** Returns whether the entity id, the sign-in URL or a certificate of the SAML identity provider was entered. */
export const hasSaml = ({ entityId, signInUrl, certificates }: SamlSettings): boolean =>
  entityId !== '' || signInUrl !== '' || certificates.length > 0

/** Returns whether the issuer or the client id of the OpenID Connect identity provider was entered. */
export const hasOidc = ({ issuer, clientId }: OidcSettings): boolean => issuer !== '' || clientId !== ''
