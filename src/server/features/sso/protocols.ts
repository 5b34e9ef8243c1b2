import type { ConnectionRow, OidcSettings, SamlSettings } from './sso.repository.ts'

/* A connection keeps the settings of both protocols; people sign in with the one of its `kind` (docs/decisions/0116). */

export type Protocol = ConnectionRow['kind']

type Settings = Pick<ConnectionRow, 'saml' | 'oidc' | 'secret'>

/** Whether the settings of the protocol have all that a sign-in needs. */
export const isComplete = ({ saml, oidc, secret }: Settings, protocol: Protocol): boolean =>
  protocol === 'saml'
    ? saml.entityId !== '' && saml.signInUrl !== '' && saml.certificates.length > 0
    : oidc.issuer !== '' && oidc.clientId !== '' && secret !== null

/** Whether somebody entered settings of this SAML identity provider. */
export const hasSaml = ({ entityId, signInUrl, certificates }: SamlSettings): boolean =>
  entityId !== '' || signInUrl !== '' || certificates.length > 0

/** Whether somebody entered settings of this OpenID Connect identity provider. */
export const hasOidc = ({ issuer, clientId }: OidcSettings): boolean => issuer !== '' || clientId !== ''
