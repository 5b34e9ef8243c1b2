import {
  clearAttempts,
  countAttempt,
  type LoginBrake,
  loginBrake,
  uncountAttempt,
} from '#server/access/attempts.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AccountContext, Browser, PublicContext } from '#server/access/context.ts'
import { readDevice } from '#server/access/known-device.ts'
import { removeFactors } from '#server/access/proven-address.ts'
import { isSsoExempt } from '#server/access/security.ts'
import { deleteSessionsOf, type Session } from '#server/access/sessions.ts'
import { accountHasSecondFactor, endChallenge, tryChallenge } from '#server/access/sign-in-challenges.ts'
import type { Secrets } from '#server/config.ts'
import { inTransaction, type Tx } from '#server/db/scope.ts'
import {
  type Admission,
  admitAccount,
  findAccount,
  lockAccount,
  requireOwn,
  requirePassword,
  requireProvenAddress,
} from '#server/features/accounts/accounts.service.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import { AppError } from '#shared/errors.ts'
import { addressOf, hashRecoveryCode, newRecoveryCodes, newSecret, readCode, stepOf } from './codes.ts'
import { tell, tellUse } from './notices.ts'
import { listPasskeys } from './passkeys.repository.ts'
import * as repository from './second-factor.repository.ts'

const purpose = (accountId: string) => `totp ${accountId}`

export async function readSecondFactor(ctx: AccountContext, id: string) {
  requireOwn(ctx, id)
  const totp = await repository.findTotp(ctx.db, id)
  const recoveryCodesLeft = await repository.countRecoveryCodes(ctx.db, id)
  const passkeys = await listPasskeys(ctx.db, id)
  return { totp: totp?.isInUse ?? false, recoveryCodesLeft, passkeys }
}

/**
 * Creates the secret of an authenticator app. Sign-ins require the app once a code has confirmed it. Throws 404,
 * `EmailIsNotVerified`, `IncorrectPassword`, `TooManyRequests`, `SecondFactorIsInUse`.
 */
export async function beginTotp(
  ctx: AccountContext,
  id: string,
  password: string,
  { email, browser }: { email: string; browser: Browser },
): Promise<{ secret: string; address: string }> {
  requireOwn(ctx, id)
  await requireProvenAddress(ctx)
  await requirePassword(ctx, password, browser)
  const { config, secrets } = ctx.services
  const secret = newSecret()
  const sealed = createKeyring(secrets.encryptionKeys).seal(secret, purpose(id))
  if (!(await repository.putTotp(ctx.db, id, sealed))) throw new AppError('SecondFactorIsInUse')
  const issuer = `Imori ${new URL(config.url).hostname}`
  return { secret, address: addressOf(secret, { issuer, label: email }) }
}

/**
 * Confirms the app by one of its codes, and ends all other sessions. Returns the recovery codes, which are shown only
 * this once. Throws 404, `IncorrectCode` (also if no app is being set up), `SecondFactorIsInUse`.
 */
export async function confirmTotp(
  ctx: AccountContext,
  id: string,
  code: string,
  session: Session,
): Promise<string[]> {
  requireOwn(ctx, id)
  const totp = await repository.findTotp(ctx.db, id)
  if (totp?.isInUse) throw new AppError('SecondFactorIsInUse')
  const secret = totp && openSecret(ctx.services.secrets, id, totp.secret)
  const step = secret ? stepOf(secret, readCode(code)) : null
  if (!totp || step === null) throw new AppError('IncorrectCode', incorrect)
  const recoveryCodes = newRecoveryCodes()
  await inTransaction(ctx.db, async (tx) => {
    await lockAccount(tx, id)
    if (!(await repository.confirmTotp(tx, id, totp.secret, step))) throw new AppError('SecondFactorIsInUse')
    await repository.replaceRecoveryCodes(tx, id, recoveryCodes.map(hashRecoveryCode))
    await deleteSessionsOf(tx, id, session)
    await tell({ ...ctx, db: tx }, id, true)
  })
  return recoveryCodes
}

const incorrect = { issues: [{ path: 'code', code: 'InvalidValue' as const }] }

/**
 * Creates ten new recovery codes and invalidates the previous ones. Throws 404 (also without a factor),
 * `IncorrectPassword`, `TooManyRequests`.
 */
export async function renewRecoveryCodes(
  ctx: AccountContext,
  id: string,
  password: string,
  browser: Browser,
): Promise<string[]> {
  requireOwn(ctx, id)
  await requirePassword(ctx, password, browser)
  if (!(await accountHasSecondFactor(ctx.db, id))) throw new AppError('NotFound')
  const recoveryCodes = newRecoveryCodes()
  await inTransaction(ctx.db, async (tx) => {
    await repository.replaceRecoveryCodes(tx, id, recoveryCodes.map(hashRecoveryCode))
    await tellUse({ ...ctx, db: tx }, id, 'recoveryCodesRenewed')
  })
  return recoveryCodes
}

/**
 * Removes the second factor, so that the password alone signs in. Ends all other sessions. Throws 404,
 * `IncorrectPassword`, `TooManyRequests`, `SsoExemptAdminIsNeeded`.
 */
export async function disableSecondFactor(
  ctx: AccountContext,
  id: string,
  password: string,
  browser: Browser & { session: Session },
): Promise<void> {
  requireOwn(ctx, id)
  await requirePassword(ctx, password, browser)
  await inTransaction(ctx.db, async (tx) => {
    await requireNotSsoExempt(tx, id)
    if (await accountHasSecondFactor(tx, id)) await tell({ ...ctx, db: tx }, id, false)
    await removeFactors(tx, id)
    await deleteSessionsOf(tx, id, browser.session)
  })
}

/**
 * Throws `SsoExemptAdminIsNeeded` for an account that is exempt from required SSO, because such an account needs a
 * second factor to access the space.
 */
export async function requireNotSsoExempt(tx: Tx, id: string): Promise<void> {
  if (await isSsoExempt(tx, id)) throw new AppError('SsoExemptAdminIsNeeded')
}

/**
 * Finishes a sign-in with a code of the app or a recovery code. Throws `SignInHasEnded` for a sign-in of another
 * browser, an expired sign-in, or one with too many attempts. Throws `IncorrectCode`, and `TooManyRequests` for guesses
 * across many sign-ins.
 */
export async function finishSignIn(
  ctx: PublicContext,
  { authenticatingUserId, code }: { authenticatingUserId: string; code: string },
  browser: Browser,
): Promise<Admission> {
  const { db } = ctx
  const challenge = await tryChallenge(db, { id: authenticatingUserId, token: browser.challenge })
  if (!challenge?.accountId) throw new AppError('SignInHasEnded')
  const { accountId } = challenge
  noteAudit(ctx, { objectId: accountId })
  const brake = await brakeOf(ctx, accountId, browser)
  const counted = await countAttempt(db, brake.ways)
  const admission = await inTransaction(db, async (tx) => {
    const inside = { ...ctx, db: tx }
    const taken = await takeCode(tx, ctx.services.secrets, accountId, readCode(code))
    if (!taken) return null
    // A concurrent request of the same browser may have finished the sign-in with another code.
    if (!(await endChallenge(tx, challenge.id))) throw new AppError('SignInHasEnded')
    noteAudit(ctx, {
      facts: { signedInBy: taken === 'app' ? 'passwordAndApp' : 'passwordAndRecoveryCode' },
    })
    if (taken === 'recoveryCode') await tellUse(inside, accountId, 'recoveryCodeUsed')
    return admitAccount(inside, browser, accountId)
  }).catch(async (error: unknown) => {
    await uncountAttempt(db, counted)
    throw error
  })
  if (!admission) throw new AppError('IncorrectCode', incorrect)
  await clearAttempts(db, counted, brake)
  return admission
}

/**
 * Returns the limits of attempts with codes. Codes are counted separately from passwords, so that knowing the password
 * grants no additional attempts.
 */
async function brakeOf(
  { db, services, origin }: PublicContext,
  accountId: string,
  browser: Browser,
): Promise<LoginBrake> {
  const found = await findAccount(db, accountId)
  const device = found && readDevice(services.secrets, found.emailKey, browser.device)
  return loginBrake(db, `second factor ${accountId}`, origin.ip, device && `code ${device}`)
}

/** Uses up a code. Returns the kind of code, or null if it is wrong. */
async function takeCode(
  tx: Tx,
  secrets: Secrets,
  accountId: string,
  code: string,
): Promise<'app' | 'recoveryCode' | null> {
  const totp = await repository.findTotp(tx, accountId)
  const secret = totp?.isInUse ? openSecret(secrets, accountId, totp.secret) : null
  const step = secret === null ? null : stepOf(secret, code)
  if (step !== null) return (await repository.takeStep(tx, accountId, step)) ? 'app' : null
  return (await repository.takeRecoveryCode(tx, accountId, hashRecoveryCode(code))) ? 'recoveryCode' : null
}

/** Decrypts the secret. Throws if the encryption key is lost. */
function openSecret(secrets: Secrets, accountId: string, sealed: string): string {
  const secret = createKeyring(secrets.encryptionKeys).open(sealed, purpose(accountId))
  if (secret === null) throw new Error('The secret of an authenticator app cannot be opened')
  return secret
}
