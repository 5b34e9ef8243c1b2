import * as client from 'openid-client'
import type { OutgoingHttp } from '#server/lib/outgoing-http.ts'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import type { SsoRefusalReason } from '#shared/contract/sso.ts'
import { AppError } from '#shared/errors.ts'
import { type Claims, groupsOf, longest, refused, textOf } from './claims.ts'
import type { ConnectionRow } from './sso.repository.ts'

/** What an answer by OpenID Connect is checked against. */
export interface OidcRequest {
  state: string
  nonce: string
  verifier: string
}

/** Of the identity provider's, each. */
const maxBytes = 1_000_000
const timeoutMs = 10_000

/** Everything that is asked of an identity provider goes out by the one way there is. */
function fetchBy(outgoing: OutgoingHttp): client.CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await outgoing.request(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body == null ? {} : { body: body instanceof URLSearchParams ? body.toString() : String(body) }),
      maxBytes,
      timeoutMs,
      ...(signal ? { signal } : {}),
    })
    const received = Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    )
    const bytes = await answer.bytes()
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
      status: answer.status,
      headers: received,
    })
  }
}

/** Asks the issuer what it says of itself. Throws as {@link client.discovery}, and OutgoingHttpError. */
export function discover(
  outgoing: OutgoingHttp,
  { oidc }: Pick<ConnectionRow, 'oidc'>,
  secret: string,
): Promise<client.Configuration> {
  const issuer = new URL(oidc.issuer)
  return client.discovery(issuer, oidc.clientId, {}, client.ClientSecretPost(secret), {
    [client.customFetch]: fetchBy(outgoing),
    timeout: timeoutMs / 1000,
    // Signatures of tokens are checked though they come from the issuer itself over TLS.
    execute: [
      client.enableNonRepudiationChecks,
      // In a private network that the operator named there may be none (`IMORI_SSO_ORIGINS`); others are refused without.
      ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ],
  })
}

/** What the browser is sent with. */
export function newOidcRequest(): OidcRequest {
  return {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  }
}

/** Where the browser is sent. Throws `SsoUnavailable`. */
export async function oidcUrl(
  outgoing: OutgoingHttp,
  connection: ConnectionRow,
  secret: string,
  { redirectUri, request }: { redirectUri: string; request: OidcRequest },
): Promise<string> {
  const configuration = await discover(outgoing, connection, secret).catch(whenUnavailable)
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state: request.state,
    nonce: request.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(request.verifier),
    code_challenge_method: 'S256',
  })
  return url.href
}

function whenUnavailable(error: unknown): never {
  throw new AppError('SsoUnavailable', { cause: error })
}

/**
 * Exchanges the code of a callback (`url`: as it was called) and reads who it is. State, nonce, PKCE, issuer, audience, times and
 * the signature are checked by the library. Throws `SsoRefused`, `SsoUnavailable`.
 */
export async function readOidcCallback(
  outgoing: OutgoingHttp,
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
  const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
  const isComplete = token.email !== undefined && token[connection.groupsName] !== undefined
  const info =
    isComplete || endpoint === undefined
      ? {}
      : await client.fetchUserInfo(configuration, tokens.access_token, token.sub).catch(whenRefused)
  const said: Record<string, unknown> = { ...info, ...token }
  const subject = textOf(token.sub, longest.subject)
  if (subject === null || subject !== token.sub) throw refused('subject', 'no subject')
  const full = textOf(said.name, longest.name)
  return {
    issuer: token.iss,
    subject,
    // Who the identity provider itself is not sure of is nobody's address.
    email:
      said.email_verified === false || said.email_verified === 'false'
        ? null
        : textOf(said.email, longest.email),
    name: full ?? textOf(said.preferred_username, longest.name) ?? '',
    groups: groupsOf(said[connection.groupsName]),
  }
}

function whenRefused(error: unknown): never {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof OutgoingHttpError) throw new AppError('SsoUnavailable', { cause: error })
  throw refused(reasonOf(error), 'not valid', error)
}

/** What the library found wrong. */
function reasonOf(error: unknown): SsoRefusalReason {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, cause: facts, error: answered } = cause as Error & { code?: string; error?: string }
    const { claim } = (facts ?? {}) as { claim?: unknown }
    if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return 'expired'
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
