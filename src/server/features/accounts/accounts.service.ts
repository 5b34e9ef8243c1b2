import type { AccountRow } from '#server/access/account.ts'
import { issueLink, linkMinutes } from '#server/access/account-links.ts'
import { type AccountActor, accountActor } from '#server/access/actor.ts'
import {
  clearAttempts,
  countAttempt,
  loginBrake,
  rememberNetwork,
  signupLimit,
  uncountAttempt,
} from '#server/access/attempts.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AccountContext, Browser, PublicContext, TransactionContext } from '#server/access/context.ts'
import { findInvited } from '#server/access/invitation-codes.ts'
import { newDevice, readDevice } from '#server/access/known-device.ts'
import { createSession, deleteSession, type Session, type SsoAdmission } from '#server/access/sessions.ts'
import { accountHasSecondFactor, beginChallenge } from '#server/access/sign-in-challenges.ts'
import { signupMode } from '#server/access/sign-up.ts'
import { type Db, inTransaction, type Tx } from '#server/db/scope.ts'
import { newId } from '#server/lib/ids.ts'
import type { accountEndpoints } from '#shared/contract/accounts.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { type Language, preferredLanguage } from '#shared/languages.ts'
import { invisible } from '#shared/unicode.ts'
import * as accounts from './accounts.repository.ts'
import { confirmAddress } from './address.service.ts'
import { emailKey, readEmail } from './email.ts'
import { hashPassword, nobodysHash, passwordIssue, verifyPassword } from './password.ts'

export { confirmAddress, requireProvenAddress } from './address.service.ts'
export { emailKey, readEmail } from './email.ts'
export { requireOwn } from './own-account.service.ts'
export { hashPassword, passwordIssue } from './password.ts'

type Input<Name extends keyof typeof accountEndpoints> = BodyOf<(typeof accountEndpoints)[Name]>

/** Somebody signed in: the account, the id of the new session, and what the browser is known by from now on. */
export interface Admission {
  account: AccountRow
  sessionId: string
  device: string
}

/** A right password that is not enough: what the second factor is to be shown with (access/sign-in-challenges.ts). */
export interface Unfinished {
  challenge: { id: string; token: string }
}

/**
 * Makes an account and signs in. A code that is given must be right, also where none is needed: who comes with one gets where
 * it leads, by `join`, and has proven their address if it was mailed there; any other address is confirmed by a mail. Throws what
 * `join` throws, `ValidationFailed`, `InvalidInvitationCode`,
 * `InvitationRequired`, `SignupIsClosed`, `InvalidPassword`, `EmailIsAlreadyInUse`, `TooManyRequests`.
 */
export async function signUp<Joined>(
  ctx: PublicContext,
  input: Input<'signup'>,
  browser: Browser,
  join: (tx: Tx, actor: AccountActor, code: string) => Promise<Joined>,
): Promise<Admission & { joined: Joined | null }> {
  const address = readEmail(input.email)
  if ('issue' in address) throw new AppError('ValidationFailed', { issues: [address.issue] })
  const issue = passwordIssue(input.password, address.email)
  if (issue) throw new AppError('InvalidPassword', { issues: [issue] })
  await countAttempt(ctx.db, [[signupLimit(ctx.origin.ip)]])
  const code = input.invitationCode
  const invited = code === undefined ? null : await findInvited(ctx.db, code)
  if (code !== undefined && !invited) throw new AppError('InvalidInvitationCode')
  const refusal = await refusalOfSignup(ctx, code !== undefined)
  if (refusal && (await accounts.hasAccounts(ctx.db))) throw refusal
  // Asked before the dear hashing; the unique index decides in the end.
  if (await accounts.isEmailTaken(ctx.db, address.key))
    throw new AppError('EmailIsAlreadyInUse', { issues: [{ path: 'email', code: 'DuplicatedValue' }] })
  const passwordHash = await hashPassword(input.password)
  return inTransaction(ctx.db, async (tx) => {
    const made = await accounts.insertAccount(tx, {
      id: newId(),
      email: address.email,
      email_key: address.key,
      password_hash: passwordHash,
      name: input.name ?? '',
      language: input.language ?? preferredLanguage(),
    })
    // Somebody else was first meanwhile.
    if (refusal && !made.isAdmin) throw refusal
    const account = { ...made, emailVerified: invited?.emailKey === address.key }
    const inside = { ...ctx, db: tx }
    if (account.emailVerified) await confirmAddress(inside, account, null)
    else await sendConfirmation(inside, account, address.key)
    const admission = await startSession(inside, browser, account, address.key)
    const { known } = await loginBrake(tx, address.key, ctx.origin.ip, null)
    await rememberNetwork(tx, known)
    // Last: from here on the transaction is in the space.
    const joined = code === undefined ? null : await join(tx, accountActor(account), code)
    return { ...admission, joined }
  })
}

async function refusalOfSignup(
  { db, services }: PublicContext,
  isInvited: boolean,
): Promise<AppError | null> {
  const mode = await signupMode(db, services.config)
  if (mode === 'closed') return new AppError('SignupIsClosed')
  return mode === 'open' || isInvited ? null : new AppError('InvitationRequired')
}

/** What a visitor should know before signing up. */
export async function readSignupState({ db, services }: PublicContext) {
  const firstAccount = !(await accounts.hasAccounts(db))
  return { firstAccount, signup: firstAccount ? ('open' as const) : await signupMode(db, services.config) }
}

/** Mails the link that shows that an account's address is its owner's. */
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
 * Signs in, or begins to where the account has a second factor. Throws `IncorrectPassword`, after the same work, for an unknown address and for a wrong password;
 * `TooManyRequests` for who guesses.
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
    // Verifying takes a while. A password that was changed meanwhile has ended all sessions, and must not begin one.
    if (!(await accounts.holdPassword(tx, id, found.passwordHash))) throw new AppError('IncorrectPassword')
    if (!(await accountHasSecondFactor(tx, id)))
      return startSession({ ...ctx, db: tx }, browser, found.account, key)
    noteAudit(ctx, { act: 'account.firstStep' })
    return { challenge: await beginChallenge(tx, { accountId: id, webauthn: null }) }
  })
}

/** For who is about to change what a sign-in asks: those under way come before, so that their sessions end with the others. */
export const lockAccount = (tx: Tx, id: string) => accounts.lockAccount(tx, id)

/** The account, with what its known browsers are told apart by. null for one that is gone. */
export const findAccount = (db: Db, id: string) => accounts.findAccount(db, id)

/**
 * Signs an account in that has shown who it is by other means than its password alone. Throws 401 `SignInHasEnded` for one
 * that is gone.
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
 * Asks somebody who is signed in for their password once more, before what whoever finds an open browser must not do.
 * Counted as log-ins are. Answers the hash that it was verified by. Throws `IncorrectPassword`, `TooManyRequests`.
 */
export const requirePassword = (
  ctx: AccountContext,
  password: string,
  browser: Browser,
): Promise<string | null> => requirePasswordOf(ctx, ctx.actor.accountId, password, browser)

/** The same of whoever has shown which account is theirs in another way. */
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
 * Signs an account in by the SSO of a space; `continues`: the browser is signed in as the same account already. Throws 401
 * `SignInHasEnded` for one that is gone.
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

/** The account of this address; null for none. */
export async function findAccountByEmail(db: Db, emailKey: string): Promise<AccountRow | null> {
  return (await accounts.findCredentials(db, emailKey))?.account ?? null
}

/**
 * Makes an account whose owner signs in elsewhere: no password opens it until one is set by a link to its address. Throws
 * `EmailIsAlreadyInUse`.
 */
export function addAccountWithoutPassword(
  tx: Tx,
  { email, key, name, language }: { email: string; key: string; name: string; language: Language },
): Promise<AccountRow> {
  // A directory may say what nobody could type.
  const shown = name.replace(new RegExp(invisible, 'gu'), '')
  const account = { id: newId(), email, email_key: key, password_hash: nobodysHash, name: shown, language }
  return accounts.insertAccount(tx, account)
}

/** A session of a new id, in a browser that is known from now on; the one it had before ends. */
async function startSession(
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
