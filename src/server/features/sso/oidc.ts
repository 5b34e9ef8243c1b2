import * as client from 'openid-client'
import { createCheckedFetch } from '#server/lib/checked-fetch.ts'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import type { Outgoing } from '#server/outgoing.ts'
import type { SsoRefusalReason } from '#shared/contract/sso.ts'
import { AppError } from '#shared/errors.ts'
import { type Claims, emailOf, groupsOf, longest, nameOf, refused, SsoRefusal, textOf } from './claims.ts'
import type { ConnectionRow } from './sso.repository.ts'

/** The values that an OpenID Connect answer is checked against. */
export interface OidcRequest {
  state: string
  nonce: string
  verifier: string
}

/** Limits of each response of the identity provider, in bytes and ms. */
const maxBytes = 1_000_000
const timeoutMs = 10_000

/**
 * Fetches the issuer's configuration. Throws the errors of {@link client.discovery}; an `OutgoingHttpError` may be
 * among their causes.
 */
export function discover(
  outgoing: Outgoing,
  { oidc }: Pick<ConnectionRow, 'oidc'>,
  secret: string,
): Promise<client.Configuration> {
  const issuer = new URL(oidc.issuer)
  const http = outgoing.clientFor('sso', issuer)
  return client.discovery(issuer, oidc.clientId, {}, client.ClientSecretPost(secret), {
    // Its time limit is shorter than the library's, so a slow issuer causes an `OutgoingHttpError`.
    [client.customFetch]: createCheckedFetch(http, { maxBytes, timeoutMs }),
    // Signatures of tokens are checked even though they come from the issuer over TLS.
    execute: [
      client.enableNonRepudiationChecks,
      // Issuers in a private network that the operator listed (`IMORI_SSO_ORIGINS`) may lack TLS. Other issuers without
      // TLS are refused earlier.
      ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ],
  })
}

/** Returns the random values of a new sign-in. */
export function newOidcRequest(): OidcRequest {
  return {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  }
}

const standardScopes = ['openid', 'email', 'profile']

/** Returns the additional scopes, without duplicates. */
export const withoutStandard = (scopes: readonly string[]): string[] =>
  [...new Set(scopes)].filter((scope) => !standardScopes.includes(scope))

/** Returns the URL for the browser. Throws `SsoUnavailable`. */
export async function oidcUrl(
  outgoing: Outgoing,
  connection: ConnectionRow,
  secret: string,
  { redirectUri, request }: { redirectUri: string; request: OidcRequest },
): Promise<string> {
  const configuration = await discover(outgoing, connection, secret).catch(whenUnavailable)
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: [...standardScopes, ...connection.oidc.scopes].join(' '),
    state: request.state,
    nonce: request.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(request.verifier),
    code_challenge_method: 'S256',
  })
  return url.href
}

function whenUnavailable(error: unknown): never {
  const isOfAnother = errorsIn(error).some(({ code }) => code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
  const cause = isOfAnother
    ? new SsoRefusal('issuer', 'the configuration names another issuer', error)
    : error
  throw new AppError('SsoUnavailable', { cause })
}

type LibraryError = Error & { code?: string; error?: unknown; error_description?: unknown }

function errorsIn(error: unknown): LibraryError[] {
  return error instanceof Error ? [error, ...errorsIn(error.cause)] : []
}

/**
 * Exchanges the code of a callback (`url`: as requested) and reads the claims. The library checks state, nonce, PKCE,
 * issuer, audience, times and the signature. Throws `SsoRefused`, `SsoUnavailable`.
 */
export async function readOidcCallback(
  outgoing: Outgoing,
  connection: ConnectionRow,
  secret: string,
  { url, request }: { url: URL; request: OidcRequest },
): Promise<Claims> {
  const configuration = await discover(outgoing, connection, secret).catch(whenUnavailable)
  const tokens = await client
    .authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: request.verifier,
      expectedState: request.state,
      expectedNonce: request.nonce,
      idTokenExpected: true,
    })
    .catch(whenRefused)
  const token = tokens.claims()
  if (!token) throw refused('malformed', 'no id token')
  const { groupsName } = connection.oidc
  const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
  const isComplete = token.email !== undefined && token[groupsName] !== undefined
  const info =
    isComplete || endpoint === undefined
      ? {}
      : await client.fetchUserInfo(configuration, tokens.access_token, token.sub).catch(whenRefused)
  const said: Record<string, unknown> = { ...info, ...token }
  const subject = textOf(token.sub, longest.subject)
  if (subject === null || subject !== token.sub) throw refused('subject', 'no subject')
  return {
    issuer: token.iss,
    subject,
    ...emailOf(said.email, { isVerified: said.email_verified !== false && said.email_verified !== 'false' }),
    ...managerOf(token),
    name: nameOf(said.name) || nameOf(said.preferred_username),
    ...groupsIn(said, groupsName),
  }
}

/** Google also signs in users with an address of a company that does not manage their account. */
const google = 'https://accounts.google.com'

/**
 * Returns `managedBy`, the domain of the organization that manages a Google account (null: none), or an empty object
 * for other issuers. `hd` proves that an organization manages the account; `email_verified` does not.
 */
export function managerOf({ iss, hd }: { iss: string; hd?: unknown }): Pick<Claims, 'managedBy'> {
  return iss === google ? { managedBy: typeof hd === 'string' ? hd : null } : {}
}

/**
 * Reads the groups. For users in more than 200 groups, Entra ID sends one of these instead of the groups: a claim
 * source (`_claim_names`), `groups:src1` or `hasgroups`.
 */
function groupsIn(said: Record<string, unknown>, name: string): Pick<Claims, 'groups' | 'groupsProblem'> {
  const read = groupsOf(said[name])
  const sources = said._claim_names
  const isElsewhere =
    (typeof sources === 'object' && sources !== null && Object.hasOwn(sources, name)) ||
    Object.hasOwn(said, `${name}:src1`) ||
    (name === 'groups' && (said.hasgroups === true || said.hasgroups === 'true'))
  return read.groupsProblem === 'missing' && isElsewhere ? { ...read, groupsProblem: 'overage' } : read
}

function whenRefused(error: unknown): never {
  if (errorsIn(error).some((one) => one instanceof OutgoingHttpError))
    throw new AppError('SsoUnavailable', { cause: error })
  throw refused(reasonOf(error), errorOf(error) ?? 'not valid', error)
}

/** Returns the error of the identity provider (RFC 6749 §4.1.2.1 and §5.2), with its description; null for none. */
function errorOf(error: unknown): string | null {
  const answered = errorsIn(error).find((one) => typeof one.error === 'string')
  if (!answered) return null
  const { error: code, error_description: text } = answered
  return [code, text].filter((part) => typeof part === 'string' && part !== '').join(': ')
}

function reasonOf(error: unknown): SsoRefusalReason {
  for (const cause of errorsIn(error)) {
    const { code, cause: facts, error: answered } = cause
    const { claim } = (facts ?? {}) as { claim?: unknown }
    // The outer error has the same code, but only its cause names the claim that failed.
    if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED' && !(facts instanceof Error))
      return claim === 'nbf' ? 'notYetValid' : 'expired'
    if (facts instanceof Response && facts.status >= 500) return 'providerError'
    if (code === 'OAUTH_KEY_SELECTION_FAILED' || /signature/i.test(cause.message)) return 'signature'
    if (typeof claim === 'string') return reasonsByClaim[claim] ?? 'malformed'
    if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return 'status'
    if (code === 'OAUTH_RESPONSE_BODY_ERROR') return answered === 'invalid_client' ? 'secret' : 'status'
    if (/"alg"/.test(cause.message)) return 'algorithm'
    if (/"iss"/.test(cause.message)) return 'issuer'
    if (/"nonce"|"state"/.test(cause.message)) return 'request'
  }
  return 'malformed'
}

const reasonsByClaim: Record<string, SsoRefusalReason | undefined> = {
  aud: 'audience',
  azp: 'audience',
  iss: 'issuer',
  nonce: 'request',
  sub: 'subject',
}
