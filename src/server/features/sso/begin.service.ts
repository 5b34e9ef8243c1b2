import { randomBytes } from 'node:crypto'
import { accountOf } from '#server/access/actor.ts'
import { countAttempt, ssoLimit } from '#server/access/attempts.ts'
import type { OwnTransactions, PublicContext, ServerContext, SpaceContext } from '#server/access/context.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import type { Services } from '#server/services.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { uidPattern } from '#shared/identifiers.ts'
import { normalizeUnicode } from '#shared/unicode.ts'
import { ourAddresses } from './addresses.ts'
import { type Claims, refused } from './claims.ts'
import { domainOf } from './domains.ts'
import { newOidcRequest, type OidcRequest, oidcUrl, readOidcCallback } from './oidc.ts'
import { tellRefusal } from './refusals.ts'
import { newRequestId, readSamlResponse, type SamlRequest, samlMetadata, samlUrl } from './saml.ts'
import { openKept, openSecret, sealKept, withOutgoing } from './secrets.ts'
import * as signIns from './sign-ins.repository.ts'
import { findOpenByDomain, findOpenById, findOpenBySpace, type OpenConnection } from './sso.repository.ts'

/** What a sign-in keeps until it is answered, and then until it is finished. */
type Asked = { invitationCode: string | null; triedBy?: string } & (SamlRequest | OidcRequest)
export interface Answered {
  invitationCode: string | null
  claims: Claims
  /** The account that only tries the connection out: nobody is signed in. */
  triedBy?: string | undefined
}

/** What somebody says of where they want to sign in. */
interface Beginning {
  email?: string | undefined
  space?: string | undefined
  redirect?: string | undefined
  popup?: boolean | undefined
  invitationCode?: string | undefined
}

const secretText = () => randomBytes(32).toString('base64url')

/**
 * Begins a sign-in: answers where the browser is to go, and what its cookie is to hold. Throws `SsoNotSetUp`,
 * `SsoSpaceIsNeeded`, `SsoUnavailable`, `TooManyRequests`.
 */
export async function beginSso(
  { db, services, origin }: PublicContext,
  input: Beginning,
): Promise<{ url: string; browser: string }> {
  await countAttempt(db, [[ssoLimit(origin.ip)]])
  const { row, ...begun } = await prepare(services, await findWanted(db, input), input)
  await signIns.insertSignIn(db, row)
  return begun
}

/**
 * Begins a sign-in that an administrator of the space watches from outside: when it is finished nobody is signed in, and they
 * are told what would have happened. Throws `SsoNotSetUp` for a connection that is not complete, `SsoUnavailable`.
 */
export async function beginTrial(
  ctx: OwnTransactions<SpaceContext>,
): Promise<{ url: string; browser: string }> {
  const connection = await ctx.inSpace(({ db, space }) => findOpenBySpace(db, space.uid))
  const triedBy = accountOf(ctx.actor)
  if (!connection || triedBy === null) throw new AppError('SsoNotSetUp')
  const { row, ...begun } = await prepare(ctx.services, connection, { popup: true, triedBy })
  await ctx.inSpace(({ db }) => signIns.insertSignIn(db, row))
  return begun
}

/** A sign-in that is still to be kept. No transaction is open while the identity provider is asked. */
async function prepare(
  services: Services,
  connection: OpenConnection,
  input: Beginning & { triedBy?: string },
): Promise<{ row: signIns.NewSignIn; url: string; browser: string }> {
  const { config, secrets } = services
  const id = newId()
  const [browser, invitationCode] = [secretText(), input.invitationCode ?? null]
  const { url, state, asked } =
    connection.kind === 'saml' ? await beginSaml(config, connection) : await beginOidc(services, connection)
  const { redirect = null, popup = false, triedBy } = input
  const trial = triedBy === undefined ? {} : { triedBy }
  const kept = sealKept(secrets, id, { ...asked, invitationCode, ...trial } satisfies Asked)
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
  const { config, secrets } = services
  const request = newOidcRequest()
  const { redirectUri } = ourAddresses(config, connection.id)
  const url = await withOutgoing(services, connection.oidc.issuer, (http) =>
    oidcUrl(http, connection, openSecret(secrets, connection), { redirectUri, request }),
  )
  return { url, state: request.state, asked: request }
}

/** A sign-in that was answered: `code` is for the page in which its browser finishes it. */
export type CallbackResult = { code: string } | { error: AppError; popup: boolean }

/** Takes the answer of an identity provider that speaks OpenID Connect; `query`: as it was called, undecoded. */
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
    return withOutgoing(services, connection.oidc.issuer, (http) =>
      readOidcCallback(http, connection, openSecret(services.secrets, connection), { url, request: asked }),
    )
  })
}

/** Takes the answer of one that speaks SAML. Without the state of a sign-in it is one that the identity provider began. */
export async function answerSaml(
  ctx: PublicContext,
  connectionId: string,
  { response, state }: { response: string; state: string },
): Promise<CallbackResult> {
  const { db, services } = ctx
  return answer(ctx, { connectionId, kind: 'saml', state }, async (connection, asked) => {
    if (asked === null && !connection.saml.idpInitiated) throw new AppError('SsoHasEnded')
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
  if (!connection || connection.kind !== kind) return { error: new AppError('SsoNotSetUp'), popup: false }
  const begun = state === '' ? null : await signIns.takeState(db, connectionId, state)
  try {
    const asked = begun && openKept<Asked>(secrets, begun)
    const claims = await read(connection, asked)
    const code = secretText()
    const id = begun?.id ?? newId()
    const kept = sealKept(secrets, id, {
      claims,
      invitationCode: asked?.invitationCode ?? null,
      triedBy: asked?.triedBy,
    } satisfies Answered)
    if (begun) await signIns.keepAnswer(db, id, code, kept)
    else await signIns.insertAnswered(db, { id, connectionId, code, kept })
    return { code }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (begun) await signIns.deleteSignIn(db, begun.id)
    await tellRefusal(db, connection, error, origin)
    return { error, popup: begun?.popup ?? false }
  }
}

/** What the administrator of an identity provider loads into it; null for no such connection. */
export async function readMetadata({ db, services }: ServerContext, id: string): Promise<string | null> {
  const row = await db.selectFrom('sso_connection').select('id').where('id', '=', id).executeTakeFirst()
  return row ? samlMetadata(services.config, id) : null
}
