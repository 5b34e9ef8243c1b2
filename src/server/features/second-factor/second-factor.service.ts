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
 * Makes the secret of an authenticator app. It is asked for at sign-in once it has shown a code. Throws 404,
 * `EmailIsNotVerified`, `IncorrectPassword`, `SecondFactorIsInUse`.
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
 * Takes the app into use, by a code of it. Answers the recovery codes, which are told this once. Throws 404,
 * `IncorrectCode`, `SignInHasEnded` when nothing was begun, `SecondFactorIsInUse`.
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

/** Ten new recovery codes; those before are good for nothing. Throws 404, `IncorrectPassword`, 404 without a factor. */
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

/** Back to the password alone. Throws 404, `IncorrectPassword`. */
export async function disableSecondFactor(
  ctx: AccountContext,
  id: string,
  password: string,
  browser: Browser & { session: Session },
): Promise<void> {
  requireOwn(ctx, id)
  await requirePassword(ctx, password, browser)
  await inTransaction(ctx.db, async (tx) => {
    if (await accountHasSecondFactor(tx, id)) await tell({ ...ctx, db: tx }, id, false)
    await removeFactors(tx, id)
    await deleteSessionsOf(tx, id, browser.session)
  })
}

/**
 * Finishes a sign-in by a code of the app or a recovery code. Throws `SignInHasEnded` for one that is not this browser's,
 * has ended, or was tried too often; `IncorrectCode`; `TooManyRequests` for who guesses through many sign-ins.
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
    // Another call of the same browser has finished it with another code.
    if (!(await endChallenge(tx, challenge.id))) throw new AppError('SignInHasEnded')
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

/** Codes are counted apart from passwords: who knows the password has guesses at the code, and no more than others. */
async function brakeOf(
  { db, services, origin }: PublicContext,
  accountId: string,
  browser: Browser,
): Promise<LoginBrake> {
  const found = await findAccount(db, accountId)
  const device = found && readDevice(services.secrets, found.emailKey, browser.device)
  return loginBrake(db, `second factor ${accountId}`, origin.ip, device && `code ${device}`)
}

/** Uses a code up; null for one that is wrong. */
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

/** Throws when the key it was sealed with is not there any more: nobody gets in without the factor because of that. */
function openSecret(secrets: Secrets, accountId: string, sealed: string): string {
  const secret = createKeyring(secrets.encryptionKeys).open(sealed, purpose(accountId))
  if (secret === null) throw new Error('The secret of an authenticator app cannot be opened')
  return secret
}
