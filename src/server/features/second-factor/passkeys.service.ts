import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { countAttempt, passkeyLimit, uncountAttempt } from '#server/access/attempts.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AccountContext, Browser, PublicContext } from '#server/access/context.ts'
import { removeFactors } from '#server/access/proven-address.ts'
import { deleteSessionsOf, type Session } from '#server/access/sessions.ts'
import {
  accountHasSecondFactor,
  beginChallenge,
  endChallenge,
  findChallenge,
  setChallengeOfPasskey,
  tryChallenge,
} from '#server/access/sign-in-challenges.ts'
import type { Config } from '#server/config.ts'
import { inTransaction } from '#server/db/scope.ts'
import {
  type Admission,
  admitAccount,
  lockAccount,
  requireOwn,
  requirePassword,
  requireProvenAddress,
} from '#server/features/accounts/accounts.service.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import type { secondFactorEndpoints } from '#shared/contract/second-factor.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { hashRecoveryCode, newRecoveryCodes } from './codes.ts'
import { tell, tellUse } from './notices.ts'
import * as passkeys from './passkeys.repository.ts'
import { countRecoveryCodes, replaceRecoveryCodes } from './second-factor.repository.ts'
import { requireNotSsoExempt } from './second-factor.service.ts'

type Input<Name extends keyof typeof secondFactorEndpoints> = BodyOf<(typeof secondFactorEndpoints)[Name]>

/** Loaded on the first use of a passkey, not at every start. */
const library = () => import('@simplewebauthn/server')

/** Returns the relying party and the origin that passkeys are bound to. */
const partyOf = ({ url }: Config) => ({ id: new URL(url).hostname, origin: url })

/**
 * Begins the registration of a passkey. Returns the WebAuthn options and the pending registration: its `id` for the
 * page, and its `token` for a cookie. Throws 404, `EmailIsNotVerified`, `IncorrectPassword`, `TooManyRequests`.
 */
export async function beginPasskey(
  ctx: AccountContext,
  id: string,
  password: string,
  { email, browser }: { email: string; browser: Browser },
) {
  requireOwn(ctx, id)
  await requireProvenAddress(ctx)
  await requirePassword(ctx, password, browser)
  const known = await passkeys.listCredentials(ctx.db, id)
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: 'Imori',
    rpID: partyOf(ctx.services.config).id,
    userName: email,
    userDisplayName: ctx.actor.name || email,
    userID: new Uint8Array(Buffer.from(id)),
    excludeCredentials: known.map(({ id: credential, transports }) => ({ id: credential, transports })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
  const challenge = await beginChallenge(ctx.db, { accountId: id, webauthn: options.challenge })
  return { challenge, options }
}

/**
 * Registers the passkey that the browser created, and ends all other sessions. Returns recovery codes if the account
 * had none. Throws 404, `SignInHasEnded`, `PasskeyIsNotValid`, `SecondFactorIsInUse`.
 */
export async function addPasskey(
  ctx: AccountContext,
  id: string,
  { challengeId, name, response }: Input<'addPasskey'>,
  browser: Browser & { session: Session },
): Promise<string[] | null> {
  requireOwn(ctx, id)
  const challenge = await tryChallenge(ctx.db, { id: challengeId, token: browser.challenge })
  if (challenge?.accountId !== id || challenge.webauthn === null) throw new AppError('SignInHasEnded')
  const party = partyOf(ctx.services.config)
  const { verifyRegistrationResponse } = await library()
  const { registrationInfo } = await verifyRegistrationResponse({
    response: response as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge.webauthn,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: false,
  }).catch(notValid)
  if (!registrationInfo) throw new AppError('PasskeyIsNotValid')
  const { credential } = registrationInfo
  return inTransaction(ctx.db, async (tx) => {
    const inside = { ...ctx, db: tx }
    await lockAccount(tx, id)
    if (!(await endChallenge(tx, challengeId))) throw new AppError('SignInHasEnded')
    const isFirst = !(await accountHasSecondFactor(tx, id))
    await passkeys.insertPasskey(tx, id, {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: (credential.transports ?? []).slice(0, 10),
      name,
    })
    await deleteSessionsOf(tx, id, browser.session)
    await (isFirst ? tell(inside, id, true) : tellUse(inside, id, 'passkeyAdded'))
    if ((await countRecoveryCodes(tx, id)) > 0) return null
    const recoveryCodes = newRecoveryCodes()
    await replaceRecoveryCodes(tx, id, recoveryCodes.map(hashRecoveryCode))
    return recoveryCodes
  })
}

/** Hides the library's reason, because the user can only try again. */
function notValid(error: unknown): never {
  throw new AppError('PasskeyIsNotValid', { cause: error })
}

/**
 * Deletes a passkey and, if it was the only factor, the recovery codes. Ends all other sessions. Throws 404,
 * `IncorrectPassword`, `TooManyRequests`, `SsoExemptAdminIsNeeded`.
 */
export async function deletePasskey(
  ctx: AccountContext,
  id: string,
  { passkeyId, password }: { passkeyId: string; password: string },
  browser: Browser & { session: Session },
): Promise<void> {
  requireOwn(ctx, id)
  await requirePassword(ctx, password, browser)
  await inTransaction(ctx.db, async (tx) => {
    const inside = { ...ctx, db: tx }
    if (!idPattern.test(passkeyId) || !(await passkeys.deletePasskey(tx, id, passkeyId)))
      throw new AppError('NotFound')
    if (!(await accountHasSecondFactor(tx, id))) {
      await requireNotSsoExempt(tx, id)
      await tell(inside, id, false)
      await removeFactors(tx, id)
    } else await tellUse(inside, id, 'passkeyDeleted')
    await deleteSessionsOf(tx, id, browser.session)
  })
}

/**
 * Returns the options to sign in with a passkey. With `authenticatingUserId`, the passkey finishes a pending sign-in;
 * `options` is null if the account has no passkey. Without it, the passkey is used without a password, and `challenge`
 * is the new sign-in. Throws `SignInHasEnded`, `TooManyRequests`.
 */
export async function beginPasskeySignIn(
  { db, services, origin }: PublicContext,
  { authenticatingUserId }: Input<'beginPasskeySignIn'>,
  browser: Browser,
) {
  const { id: rpID } = partyOf(services.config)
  if (authenticatingUserId === undefined) {
    await countAttempt(db, [[passkeyLimit(origin.ip)]])
    const { generateAuthenticationOptions } = await library()
    const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' })
    const challenge = await beginChallenge(db, { accountId: null, webauthn: options.challenge })
    return { challenge, options }
  }
  const begun = await findChallenge(db, { id: authenticatingUserId, token: browser.challenge })
  if (!begun?.accountId) throw new AppError('SignInHasEnded')
  const known = await passkeys.listCredentials(db, begun.accountId)
  if (known.length === 0) return { challenge: null, options: null }
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID,
    allowCredentials: known.map(({ id, transports }) => ({ id, transports })),
    userVerification: 'preferred',
  })
  await setChallengeOfPasskey(db, begun.id, options.challenge)
  return { challenge: null, options }
}

/**
 * Finishes a sign-in with a passkey. If it is used without a password, it must have verified the user by finger, face
 * or PIN. Throws `SignInHasEnded`, `PasskeyIsNotValid`.
 */
export async function finishByPasskey(
  ctx: PublicContext,
  { authenticatingUserId, response }: Input<'finishByPasskey'>,
  browser: Browser,
): Promise<Admission> {
  const { db } = ctx
  const challenge = await tryChallenge(db, { id: authenticatingUserId, token: browser.challenge })
  if (!challenge?.webauthn) throw new AppError('SignInHasEnded')
  const passkey = await passkeys.findCredential(db, response.id)
  const isAlone = challenge.accountId === null
  // In a sign-in with a password, only passkeys of that account are accepted.
  if (!passkey || (!isAlone && passkey.accountId !== challenge.accountId))
    throw new AppError('PasskeyIsNotValid')
  const party = partyOf(ctx.services.config)
  const { verifyAuthenticationResponse } = await library()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge.webauthn,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: { ...passkey, publicKey: new Uint8Array(passkey.publicKey) },
    requireUserVerification: isAlone,
  }).catch(notValid)
  if (!verified) throw new AppError('PasskeyIsNotValid')
  return inTransaction(db, async (tx) => {
    if (!(await endChallenge(tx, challenge.id))) throw new AppError('SignInHasEnded')
    const counter = { before: passkey.counter, after: authenticationInfo.newCounter }
    if (!(await passkeys.noteUse(tx, passkey.id, counter))) throw new AppError('PasskeyIsNotValid')
    if (isAlone) await uncountAttempt(tx, [passkeyLimit(ctx.origin.ip)])
    noteAudit(ctx, { facts: { signedInBy: isAlone ? 'passkey' : 'passwordAndPasskey' } })
    return admitAccount({ ...ctx, db: tx }, browser, passkey.accountId)
  })
}
