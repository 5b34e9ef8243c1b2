import { randomBytes } from 'node:crypto'
import { accountOf } from '#server/access/actor.ts'
import { countAttempt, ssoLimit, uncountAttempt } from '#server/access/attempts.ts'
import type { OwnTransactions, PublicContext, ServerContext, SpaceContext } from '#server/access/context.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import { createMinuteLimit } from '#server/lib/event-limit.ts'
import { newId } from '#server/lib/ids.ts'
import type { Services } from '#server/services.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { uidPattern } from '#shared/identifiers.ts'
import { normalizeUnicode } from '#shared/unicode.ts'
import { ourAddresses } from './addresses.ts'
import { type Claims, refused, SsoRefusal } from './claims.ts'
import { domainOf } from './domains.ts'
import { newOidcRequest, type OidcRequest, oidcUrl, readOidcCallback } from './oidc.ts'
import { isComplete, type Protocol } from './protocols.ts'
import { tellRefusal } from './refusals.ts'
import {
  isUnsolicited,
  newRequestId,
  readSamlResponse,
  type SamlRequest,
  samlMetadata,
  samlUrl,
} from './saml.ts'
import { openKept, openSecret, sealKept } from './secrets.ts'
import * as signIns from './sign-ins.repository.ts'
import {
  findOpenByDomain,
  findOpenById,
  findOpenBySpace,
  hasConnection,
  type OpenConnection,
} from './sso.repository.ts'

/**
 * Values of a sign-in that waits for the identity provider's answer. They are stored encrypted. `triedBy`: the account
 * that started an SSO test; undefined: a normal sign-in. `ip`: the IP address that began the sign-in; undefined for an
 * SSO test. After a valid answer, the sign-in no longer counts against the `ssoLimit` of this IP address.
 */
type Asked = { invitationCode: string | null; triedBy?: string; ip?: string } & (SamlRequest | OidcRequest)
export interface Answered {
  kind: OpenConnection['kind']
  invitationCode: string | null
  claims: Claims
  /** The account that started an SSO test. Undefined: a normal sign-in. */
  triedBy?: string | undefined
}

/**
 * Input of a sign-in: the space (its uid, or an email address of one of its domains), the page to return to, and
 * whether a popup window is used. Optionally also the code of an invitation to accept.
 */
interface Beginning {
  email?: string | undefined
  space?: string | undefined
  redirect?: string | undefined
  popup?: boolean | undefined
  invitationCode?: string | undefined
}

/** Limits SSO tests to 30 per connection and minute in each process, because each test stores a row for a while. */
const testLimit = createMinuteLimit(30)

const secretText = () => randomBytes(32).toString('base64url')

/**
 * Begins a sign-in. Returns the URL for the browser and the value of its cookie. Throws `ValidationFailed` if both
 * `space` and `email` are missing, `SsoNotSetUp`, `SsoSpaceIsNeeded`, `SsoUnavailable`, `TooManyRequests`.
 */
export async function beginSso(
  { db, services, origin }: PublicContext,
  input: Beginning,
): Promise<{ url: string; browser: string }> {
  await countAttempt(db, [[ssoLimit(origin.ip)]])
  const { row, ...begun } = await prepare(services, await findWanted(db, input), { ...input, ip: origin.ip })
  await signIns.insertSignIn(db, row)
  return begun
}

/**
 * Begins an SSO test. It signs no user in, and reports the result that a sign-in would have had. `protocol`: default is
 * the one in use; may also be the other one. Returns the id of the test as `testId`. Throws `SsoNotSetUp` if the tested
 * protocol or the one in use is incomplete, `SsoUnavailable`, `TooManyRequests`.
 */
export async function beginSsoTest(
  ctx: OwnTransactions<SpaceContext>,
  protocol?: Protocol,
): Promise<{ url: string; browser: string; testId: string }> {
  const open = await ctx.inSpace(({ db, space }) => findOpenBySpace(db, space.uid))
  const triedBy = accountOf(ctx.actor)
  if (!open || triedBy === null) throw new AppError('SsoNotSetUp')
  const connection = { ...open, kind: protocol ?? open.kind }
  if (!isComplete(connection, connection.kind)) throw new AppError('SsoNotSetUp')
  if (!testLimit.allows(connection.id))
    throw new AppError('TooManyRequests', { headers: { 'retry-after': '60' } })
  const { row, ...begun } = await prepare(ctx.services, connection, { popup: true, triedBy })
  await ctx.inSpace(({ db }) => signIns.insertSignIn(db, row))
  return { ...begun, testId: row.id }
}

/**
 * Returns the row to store for a sign-in, the URL for the browser and the value of its cookie. Must run outside a
 * transaction, because OpenID Connect requires a request to the identity provider.
 */
async function prepare(
  services: Services,
  connection: OpenConnection,
  input: Beginning & { triedBy?: string; ip?: string },
): Promise<{ row: signIns.NewSignIn; url: string; browser: string }> {
  const { config, secrets } = services
  const id = newId()
  const [browser, invitationCode] = [secretText(), input.invitationCode ?? null]
  const { url, state, asked } =
    connection.kind === 'saml' ? await beginSaml(config, connection) : await beginOidc(services, connection)
  const { redirect = null, popup = false, triedBy, ip } = input
  const begun = { ...(triedBy === undefined ? {} : { triedBy }), ...(ip === undefined ? {} : { ip }) }
  const kept = sealKept(secrets, id, { ...asked, invitationCode, ...begun } satisfies Asked)
  const row = {
    id,
    connectionId: connection.id,
    state,
    browser,
    kept,
    popup,
    target: redirect?.startsWith('/') ? redirect : null,
  }
  return { row, url, browser }
}

async function findWanted(db: Db, { email, space }: Beginning): Promise<OpenConnection> {
  if (space !== undefined) {
    const found = uidPattern.test(space) ? await findOpenBySpace(db, space) : null
    if (!found) throw new AppError('SsoNotSetUp')
    return found
  }
  if (email === undefined) throw invalid('email', 'Required')
  const domain = domainOf(normalizeUnicode(email.trim(), 'NFKC').toLowerCase())
  const [found, another] = domain === null ? [] : await findOpenByDomain(db, domain)
  if (!found) throw new AppError('SsoNotSetUp')
  if (another) throw new AppError('SsoSpaceIsNeeded')
  return found
}

async function beginSaml(config: Config, connection: OpenConnection) {
  const [state, requestId] = [secretText(), newRequestId()]
  return { url: await samlUrl(config, connection, { requestId, state }), state, asked: { requestId } }
}

async function beginOidc(services: Services, connection: OpenConnection) {
  const { config, secrets, outgoing } = services
  const request = newOidcRequest()
  const { redirectUri } = ourAddresses(config, connection.id)
  const secret = openSecret(secrets, connection)
  const url = await oidcUrl(outgoing, connection, secret, { redirectUri, request })
  return { url, state: request.state, asked: request }
}

/** The result of an answered sign-in. The page in the browser finishes it with `code`. */
export type CallbackResult =
  | { code: string }
  /** `trial`: id of a refused SSO test. */
  | { error: AppError; popup: boolean; trial?: string | undefined }

/** Handles the answer of an OpenID Connect identity provider. `query`: the query string of the request. */
export async function answerOidc(
  ctx: PublicContext,
  connectionId: string,
  query: string,
): Promise<CallbackResult> {
  const { services } = ctx
  const state = new URLSearchParams(query).get('state') ?? ''
  return answer(ctx, { connectionId, kind: 'oidc', state }, async (connection, asked) => {
    if (asked === null || !('nonce' in asked)) throw new AppError('SsoHasEnded')
    const url = new URL(`${ourAddresses(services.config, connection.id).redirectUri}?${query}`)
    const secret = openSecret(services.secrets, connection)
    return readOidcCallback(services.outgoing, connection, secret, { url, request: asked })
  })
}

/**
 * Handles the answer of a SAML identity provider. With an empty or unknown state, the identity provider is taken to
 * have begun the sign-in.
 */
export async function answerSaml(
  ctx: PublicContext,
  connectionId: string,
  { response, state }: { response: string; state: string },
): Promise<CallbackResult> {
  const { db, services } = ctx
  return answer(ctx, { connectionId, kind: 'saml', state }, async (connection, asked) => {
    if (asked === null && !connection.saml.idpInitiated)
      throw new AppError('SsoHasEnded', {
        ...(isUnsolicited(response) && {
          cause: new SsoRefusal('idpInitiated', 'the identity provider began the sign-in'),
        }),
      })
    if (asked !== null && !('requestId' in asked)) throw new AppError('SsoHasEnded')
    const read = await readSamlResponse(services.config, connection, response, asked ?? { requestId: null })
    if (!(await signIns.useAssertion(db, connection.id, read.assertionId, read.endsAt)))
      throw refused('replayed', 'used before')
    return read.claims
  })
}

async function answer(
  { db, services: { secrets }, origin }: PublicContext,
  given: { connectionId: string; kind: OpenConnection['kind']; state: string },
  read: (connection: OpenConnection, asked: Asked | null) => Promise<Claims>,
): Promise<CallbackResult> {
  const { connectionId, kind, state } = given
  const connection = await findOpenById(db, connectionId)
  const begun = connection && state !== '' ? await signIns.takeState(db, connectionId, state) : null
  const isInUse = connection?.kind === kind
  if (!connection || (!isInUse && !begun)) return { error: new AppError('SsoNotSetUp'), popup: false }
  let asked: Asked | null = null
  try {
    asked = begun && openKept<Asked>(secrets, begun)
    // Only an SSO test may use the protocol that is not in use.
    if (!isInUse && asked?.triedBy === undefined) throw new AppError('SsoHasEnded')
    const claims = await read(connection, asked)
    const code = secretText()
    const id = begun?.id ?? newId()
    const kept = sealKept(secrets, id, {
      kind,
      claims,
      invitationCode: asked?.invitationCode ?? null,
      triedBy: asked?.triedBy,
    } satisfies Answered)
    if (begun) await signIns.keepAnswer(db, id, code, kept)
    else await signIns.insertAnswered(db, { id, connectionId, code, kept })
    await signIns.dropOldestAnswered(db, connectionId)
    if (asked?.ip !== undefined) await uncountAttempt(db, [ssoLimit(asked.ip)])
    return { code }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (begun) await signIns.deleteSignIn(db, begun.id)
    await tellRefusal(db, connection, error, origin)
    return {
      error,
      popup: begun?.popup ?? false,
      trial: asked?.triedBy === undefined ? undefined : begun?.id,
    }
  }
}

/** Returns this installation's SAML metadata for the admin of an identity provider; null for an unknown connection. */
export async function readMetadata({ db, services }: ServerContext, id: string): Promise<string | null> {
  return (await hasConnection(db, id)) ? samlMetadata(services.config, id) : null
}
