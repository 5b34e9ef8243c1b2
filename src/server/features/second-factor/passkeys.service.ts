import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { countAttempt, passkeyLimit } from '#server/access/attempts.ts'
import type { AccountContext, PublicContext } from '#server/access/context.ts'
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
  type Caller,
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

type Input<Name extends keyof typeof secondFactorEndpoints> = BodyOf<(typeof secondFactorEndpoints)[Name]>

/** A browser with what it keeps of a sign-in. */
type Browser = Caller & { challengeCookie: string | undefined }

/** Loaded when somebody uses a passkey, not with every start. */
const library = () => import('@simplewebauthn/server')

/** The relying party: what a passkey is bound to, so that it answers no other site. */
const partyOf = ({ url }: Config) => ({ id: new URL(url).hostname, origin: url })

/**
 * Begins with a passkey, with the password. Answers what the browser makes it with, and the challenge that the browser keeps
 * in a cookie. Throws 404, `EmailIsNotVerified`, `IncorrectPassword`.
 */
export async function beginPasskey(
  ctx: AccountContext,
  id: string,
  password: string,
  caller: Caller & { email: string },
) {
  requireOwn(ctx, id)
  await requireProvenAddress(ctx)
  await requirePassword(ctx, password, caller)
  const known = await passkeys.listCredentials(ctx.db, id)
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: 'Imori',
    rpID: partyOf(caller.config).id,
    userName: caller.email,
    userDisplayName: ctx.actor.name || caller.email,
    userID: new Uint8Array(Buffer.from(id)),
    excludeCredentials: known.map(({ id: credential, transports }) => ({ id: credential, transports })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
  const challenge = await beginChallenge(ctx.db, { accountId: id, webauthn: options.challenge })
  return { challenge, options }
}

/**
 * Takes a passkey into use that the browser has made. Answers recovery codes when the account had none. All other sessions end.
 * Throws 404, `SignInHasEnded`, `PasskeyIsNotValid`, `SecondFactorIsInUse`.
 */
export async function addPasskey(
  ctx: AccountContext,
  id: string,
  { challengeId, name, response }: Input<'addPasskey'>,
  caller: Browser & { session: Session },
): Promise<string[] | null> {
  requireOwn(ctx, id)
  const challenge = await tryChallenge(ctx.db, { id: challengeId, token: caller.challengeCookie })
  if (challenge?.accountId !== id || challenge.webauthn === null) throw new AppError('SignInHasEnded')
  const party = partyOf(caller.config)
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
    await deleteSessionsOf(tx, id, caller.session)
    await (isFirst ? tell(tx, caller, id, true) : tellUse(tx, caller, id, 'passkeyAdded'))
    if ((await countRecoveryCodes(tx, id)) > 0) return null
    const recoveryCodes = newRecoveryCodes()
    await replaceRecoveryCodes(tx, id, recoveryCodes.map(hashRecoveryCode))
    return recoveryCodes
  })
}

/** The library says in its own words why; nobody can do anything about it but try again. */
function notValid(error: unknown): never {
  throw new AppError('PasskeyIsNotValid', { cause: error })
}

/** Takes a passkey away; without any other factor, the recovery codes, too. Throws 404, `IncorrectPassword`. */
export async function deletePasskey(
  ctx: AccountContext,
  id: string,
  { passkeyId, password }: { passkeyId: string; password: string },
  caller: Caller & { session: Session },
): Promise<void> {
  requireOwn(ctx, id)
  await requirePassword(ctx, password, caller)
  await inTransaction(ctx.db, async (tx) => {
    if (!idPattern.test(passkeyId) || !(await passkeys.deletePasskey(tx, id, passkeyId)))
      throw new AppError('NotFound')
    if (!(await accountHasSecondFactor(tx, id))) {
      await tell(tx, caller, id, false)
      await removeFactors(tx, id)
    } else await tellUse(tx, caller, id, 'passkeyDeleted')
    await deleteSessionsOf(tx, id, caller.session)
  })
}

/**
 * What a browser signs in with by a passkey: to finish a sign-in that has begun (`authenticatingUserId`; null options where the
 * account has none), or without anything else. Then `challenge` is the new sign-in. Throws `SignInHasEnded`,
 * `TooManyRequests`.
 */
export async function beginPasskeySignIn(
  { db }: PublicContext,
  { authenticatingUserId }: Input<'beginPasskeySignIn'>,
  caller: Browser,
) {
  const { id: rpID } = partyOf(caller.config)
  if (authenticatingUserId === undefined) {
    await countAttempt(db, [[passkeyLimit(caller.ip)]])
    const { generateAuthenticationOptions } = await library()
    const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' })
    const challenge = await beginChallenge(db, { accountId: null, webauthn: options.challenge })
    return { challenge, options }
  }
  const begun = await findChallenge(db, { id: authenticatingUserId, token: caller.challengeCookie })
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
 * Finishes a sign-in by a passkey. Alone, without a password before, it must have asked for finger, face or PIN. Throws
 * `SignInHasEnded`, `PasskeyIsNotValid`.
 */
export async function finishByPasskey(
  { db }: PublicContext,
  { authenticatingUserId, response }: Input<'finishByPasskey'>,
  caller: Browser,
): Promise<Admission> {
  const challenge = await tryChallenge(db, { id: authenticatingUserId, token: caller.challengeCookie })
  if (!challenge?.webauthn) throw new AppError('SignInHasEnded')
  const passkey = await passkeys.findCredential(db, response.id)
  const isAlone = challenge.accountId === null
  // In a sign-in of somebody, a passkey of somebody else is none.
  if (!passkey || (!isAlone && passkey.accountId !== challenge.accountId))
    throw new AppError('PasskeyIsNotValid')
  const party = partyOf(caller.config)
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
    return admitAccount(tx, caller, passkey.accountId)
  })
}
