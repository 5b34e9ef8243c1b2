import { randomBytes } from 'node:crypto'
import { accountOf } from '#server/access/actor.ts'
import { countAttempt, ssoLimit } from '#server/access/attempts.ts'
import type { OwnTransactions, SpaceContext } from '#server/access/context.ts'
import type { Config, Secrets } from '#server/config.ts'
import type { Db } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import type { OutgoingHttp } from '#server/lib/outgoing-http.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { uidPattern } from '#shared/identifiers.ts'
import { normalizeUnicode } from '#shared/unicode.ts'
import { ourAddresses } from './addresses.ts'
import { type Claims, refused } from './claims.ts'
import { domainOf } from './domains.ts'
import { newOidcRequest, type OidcRequest, oidcUrl, readOidcCallback } from './oidc.ts'
import { type SignInOrigin, tellRefusal } from './refusals.ts'
import { newRequestId, readSamlResponse, type SamlRequest, samlMetadata, samlUrl } from './saml.ts'
import { openKept, openSecret, sealKept, withOutgoing } from './secrets.ts'
import * as signIns from './sign-ins.repository.ts'
import { findOpenByDomain, findOpenById, findOpenBySpace, type OpenConnection } from './sso.repository.ts'

export type { SignInOrigin } from './refusals.ts'

export interface SsoEnvironment {
  db: Db
  config: Config
  secrets: Secrets
  outgoing: OutgoingHttp
}

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
  environment: SsoEnvironment,
  input: Beginning,
  ip: string,
): Promise<{ url: string; browser: string }> {
  const { db } = environment
  await countAttempt(db, [[ssoLimit(ip)]])
  const { row, ...begun } = await prepare(environment, await findWanted(db, input), input)
  await signIns.insertSignIn(db, row)
  return begun
}

/**
 * Begins a sign-in that an administrator of the space watches from outside: when it is finished nobody is signed in, and they
 * are told what would have happened. Throws `SsoNotSetUp` for a connection that is not complete, `SsoUnavailable`.
 */
export async function beginTrial(
  ctx: OwnTransactions<SpaceContext>,
  environment: Omit<SsoEnvironment, 'db'>,
): Promise<{ url: string; browser: string }> {
  const connection = await ctx.inSpace(({ db, space }) => findOpenBySpace(db, space.uid))
  const triedBy = accountOf(ctx.actor)
  if (!connection || triedBy === null) throw new AppError('SsoNotSetUp')
  const { row, ...begun } = await prepare(environment, connection, { popup: true, triedBy })
  await ctx.inSpace(({ db }) => signIns.insertSignIn(db, row))
  return begun
}

/** A sign-in that is still to be kept. No transaction is open while the identity provider is asked. */
async function prepare(
  environment: Omit<SsoEnvironment, 'db'>,
  connection: OpenConnection,
  input: Beginning & { triedBy?: string },
): Promise<{ row: signIns.NewSignIn; url: string; browser: string }> {
  const { config, secrets, outgoing } = environment
  const id = newId()
  const [browser, invitationCode] = [secretText(), input.invitationCode ?? null]
  const { url, state, asked } =
    connection.kind === 'saml'
      ? await beginSaml(config, connection)
      : await beginOidc(environment, connection, openSecret(secrets, connection), outgoing)
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

async function beginOidc(
  { config }: Omit<SsoEnvironment, 'db'>,
  connection: OpenConnection,
  secret: string,
  outgoing: OutgoingHttp,
) {
  const request = newOidcRequest()
  const { redirectUri } = ourAddresses(config, connection.id)
  const url = await withOutgoing(config, outgoing, connection.oidc.issuer, (http) =>
    oidcUrl(http, connection, secret, { redirectUri, request }),
  )
  return { url, state: request.state, asked: request }
}

/** A sign-in that was answered: `code` is for the page in which its browser finishes it. */
export type CallbackResult = { code: string } | { error: AppError; popup: boolean }

/** Takes the answer of an identity provider that speaks OpenID Connect; `query`: as it was called, undecoded. */
export async function answerOidc(
  environment: SsoEnvironment,
  connectionId: string,
  query: string,
  from: SignInOrigin,
): Promise<CallbackResult> {
  const { config, secrets, outgoing } = environment
  const state = new URLSearchParams(query).get('state') ?? ''
  return answer(environment, { connectionId, kind: 'oidc', state, from }, async (connection, asked) => {
    if (asked === null || !('nonce' in asked)) throw new AppError('SsoHasEnded')
    const url = new URL(`${ourAddresses(config, connection.id).redirectUri}?${query}`)
    return withOutgoing(config, outgoing, connection.oidc.issuer, (http) =>
      readOidcCallback(http, connection, openSecret(secrets, connection), { url, request: asked }),
    )
  })
}

/** Takes the answer of one that speaks SAML. Without the state of a sign-in it is one that the identity provider began. */
export async function answerSaml(
  environment: SsoEnvironment,
  connectionId: string,
  { response, state }: { response: string; state: string },
  from: SignInOrigin,
): Promise<CallbackResult> {
  const { db, config } = environment
  return answer(environment, { connectionId, kind: 'saml', state, from }, async (connection, asked) => {
    if (asked === null && !connection.saml.idpInitiated) throw new AppError('SsoHasEnded')
    if (asked !== null && !('requestId' in asked)) throw new AppError('SsoHasEnded')
    const read = await readSamlResponse(config, connection, response, asked ?? { requestId: null })
    if (!(await signIns.useAssertion(db, connection.id, read.assertionId, read.endsAt)))
      throw refused('replayed', 'used before')
    return read.claims
  })
}

async function answer(
  { db, secrets }: SsoEnvironment,
  given: { connectionId: string; kind: OpenConnection['kind']; state: string; from: SignInOrigin },
  read: (connection: OpenConnection, asked: Asked | null) => Promise<Claims>,
): Promise<CallbackResult> {
  const { connectionId, kind, state, from } = given
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
    await tellRefusal(db, connection, error, from)
    return { error, popup: begun?.popup ?? false }
  }
}

/** What the administrator of an identity provider loads into it; null for no such connection. */
export async function readMetadata({ db, config }: SsoEnvironment, id: string): Promise<string | null> {
  const row = await db.selectFrom('sso_connection').select('id').where('id', '=', id).executeTakeFirst()
  return row ? samlMetadata(config, id) : null
}
