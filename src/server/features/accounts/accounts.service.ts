import type { AccountRow } from '#server/access/account.ts'
import { issueLink, linkMinutes } from '#server/access/account-links.ts'
import { clearAttempts, countAttempt, loginBrake, uncountAttempt } from '#server/access/attempts.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AccountContext, Browser, PublicContext, TransactionContext } from '#server/access/context.ts'
import { newDevice, readDevice } from '#server/access/known-device.ts'
import { createSession, deleteSession, type Session, type SsoAdmission } from '#server/access/sessions.ts'
import { accountHasSecondFactor, beginChallenge } from '#server/access/sign-in-challenges.ts'
import { type Db, inTransaction, type Tx } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import type { accountEndpoints } from '#shared/contract/accounts.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import type { Language } from '#shared/languages.ts'
import { shownName } from '#shared/unicode.ts'
import * as accounts from './accounts.repository.ts'
import { emailKey } from './email.ts'
import { nobodysHash, verifyPassword } from './password.ts'

export { confirmAddress, requireProvenAddress } from './address.service.ts'
export { emailKey, readEmail } from './email.ts'
export { requireOwn } from './own-account.service.ts'
export { hashPassword, passwordIssue } from './password.ts'

type Input<Name extends keyof typeof accountEndpoints> = BodyOf<(typeof accountEndpoints)[Name]>

/**
 * A completed sign-in: the account, the id of the new session, and the token that identifies the browser from now on.
 */
export interface Admission {
  account: AccountRow
  sessionId: string
  device: string
}

/**
 * A sign-in with a correct password that still requires a second factor. The factor must be sent with this challenge
 * (access/sign-in-challenges.ts).
 */
export interface Unfinished {
  challenge: { id: string; token: string }
}

/** Mails the link that verifies an account's email address. */
export async function sendConfirmation(
  { db, services }: TransactionContext,
  { id, email, name, language }: Pick<AccountRow, 'id' | 'email' | 'name' | 'language'>,
  emailKey: string,
): Promise<void> {
  const { link, expiresAt } = await issueLink(db, services.config, {
    accountId: id,
    purpose: 'confirmEmail',
    email,
    emailKey,
  })
  await services.mail.send(db, {
    to: email,
    language,
    template: 'confirmEmail',
    values: { name, link, hours: linkMinutes.confirmEmail / 60 },
    expiresAt,
  })
}

/**
 * Signs in, or starts a challenge if the account has a second factor. Throws `IncorrectPassword` for an unknown email
 * address and, in equal time, for a wrong password; `TooManyRequests` after too many attempts.
 */
export async function logIn(
  ctx: PublicContext,
  { email, password }: Input<'login'>,
  browser: Browser,
): Promise<Admission | Unfinished> {
  const key = emailKey(email)
  const device = key === null ? null : readDevice(ctx.services.secrets, key, browser.device)
  const brake = await loginBrake(ctx.db, key ?? email, ctx.origin.ip, device)
  const counted = await countAttempt(ctx.db, brake.ways)
  const found = key === null ? null : await accounts.findCredentials(ctx.db, key)
  if (found)
    noteAudit(ctx, { objectId: found.account.id, objectName: found.account.name || found.account.email })
  const matches = await verifyPassword(found?.passwordHash ?? null, password).catch(
    async (error: unknown) => {
      await uncountAttempt(ctx.db, counted)
      throw error
    },
  )
  if (!found || !matches || key === null) throw new AppError('IncorrectPassword')
  await clearAttempts(ctx.db, counted, brake)
  const { id } = found.account
  return inTransaction(ctx.db, async (tx) => {
    // Verification takes a while. If the password was changed in the meantime, all sessions have ended, so the former
    // password must not start another session.
    if (!(await accounts.holdPassword(tx, id, found.passwordHash))) throw new AppError('IncorrectPassword')
    if (!(await accountHasSecondFactor(tx, id))) {
      noteAudit(ctx, { facts: { signedInBy: 'password' } })
      return startSession({ ...ctx, db: tx }, browser, found.account, key)
    }
    noteAudit(ctx, { act: 'account.firstStep' })
    return { challenge: await beginChallenge(tx, { accountId: id, webauthn: null }) }
  })
}

/**
 * Locks the account before a change of its sign-in requirements. Waits for password sign-ins that hold the lock of
 * `holdPassword`, so that the change also ends the sessions that they create. Does not wait for sign-ins by a second
 * factor, a passkey or SSO.
 */
export const lockAccount = (tx: Tx, id: string) => accounts.lockAccount(tx, id)

/**
 * Returns the account and the key of its email address. Browsers known to the account are recognised by this key. null:
 * the account no longer exists.
 */
export const findAccount = (db: Db, id: string) => accounts.findAccount(db, id)

/**
 * Signs in an account whose user was already authenticated: by a second factor, by a passkey alone, or by the change of
 * the password. Throws 401 `SignInHasEnded` if the account no longer exists.
 */
export async function admitAccount(
  ctx: PublicContext,
  browser: Browser,
  accountId: string,
): Promise<Admission> {
  const found = await accounts.findAccount(ctx.db, accountId)
  if (!found) throw new AppError('SignInHasEnded')
  return startSession(ctx, browser, found.account, found.emailKey)
}

/**
 * Checks the password of a signed-in user again before sensitive operations, counted like sign-ins. Returns the hash it
 * was verified against. Throws `IncorrectPassword`, `TooManyRequests`.
 */
export const requirePassword = (
  ctx: AccountContext,
  password: string,
  browser: Browser,
): Promise<string | null> => requirePasswordOf(ctx, ctx.actor.accountId, password, browser)

/** Like {@link requirePassword}, for an account that was not identified by a session. */
export async function requirePasswordOf(
  { db, services, origin }: PublicContext,
  accountId: string,
  password: string,
  browser: Browser,
): Promise<string | null> {
  const found = await accounts.findAccount(db, accountId)
  const key = found?.emailKey ?? accountId
  const device = readDevice(services.secrets, key, browser.device)
  const brake = await loginBrake(db, key, origin.ip, device)
  const counted = await countAttempt(db, brake.ways)
  const hash = await accounts.findPasswordHash(db, accountId)
  const matches = await verifyPassword(hash, password).catch(async (error: unknown) => {
    await uncountAttempt(db, counted)
    throw error
  })
  if (!matches)
    throw new AppError('IncorrectPassword', { issues: [{ path: 'password', code: 'InvalidValue' }] })
  await clearAttempts(db, counted, brake)
  return hash
}

/**
 * Signs in an account by the SSO of a space. `sso.continues`: the browser's session, if it belongs to this account.
 * Throws 401 `SignInHasEnded` if the account no longer exists.
 */
export async function admitBySso(
  ctx: PublicContext,
  browser: Browser,
  accountId: string,
  sso: SsoAdmission,
): Promise<Admission> {
  const found = await accounts.findAccount(ctx.db, accountId)
  if (!found) throw new AppError('SignInHasEnded')
  return startSession(ctx, browser, found.account, found.emailKey, sso)
}

/** Returns the account with this email address, or null. */
export async function findAccountByEmail(db: Db, emailKey: string): Promise<AccountRow | null> {
  return (await accounts.findCredentials(db, emailKey))?.account ?? null
}

/**
 * Creates an account whose owner signs in by an identity provider. It has no password until one is set by a mailed
 * link. Throws `EmailIsAlreadyInUse`.
 */
export function addAccountWithoutPassword(
  tx: Tx,
  { email, key, name, language }: { email: string; key: string; name: string; language: Language },
): Promise<AccountRow> {
  // An identity provider can send a name with invisible characters.
  const account = {
    id: newId(),
    email,
    email_key: key,
    password_hash: nobodysHash,
    name: shownName(name, email),
    language,
  }
  return accounts.insertAccount(tx, account)
}

/** Creates a session, and a token that identifies the browser from now on. The browser's previous session ends. */
export async function startSession(
  { db, services: { secrets }, origin }: PublicContext,
  { session }: Browser,
  account: AccountRow,
  emailKey: string,
  sso: SsoAdmission | null = null,
): Promise<Admission> {
  if (session) await deleteSession(db, session)
  const sessionId = await createSession(db, secrets, account.id, origin, sso)
  return { account, sessionId, device: newDevice(secrets, emailKey) }
}

export async function logOut({ db }: AccountContext, session: Session): Promise<void> {
  await deleteSession(db, session)
}
