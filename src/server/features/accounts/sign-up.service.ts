import { type AccountActor, accountActor } from '#server/access/actor.ts'
import {
  countAttempt,
  loginBrake,
  mailLimit,
  pendingLimit,
  rememberNetwork,
  signupLimit,
  takenLimits,
  uncountAttempt,
} from '#server/access/attempts.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { Browser, PublicContext } from '#server/access/context.ts'
import { findInvited } from '#server/access/invitation-codes.ts'
import { signupConfirmation, signupMode } from '#server/access/sign-up.ts'
import { inTransaction, type Tx } from '#server/db/scope.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { newId } from '#server/lib/ids.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import type { accountEndpoints } from '#shared/contract/accounts.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { preferredLanguage } from '#shared/languages.ts'
import * as accounts from './accounts.repository.ts'
import { type Admission, sendConfirmation, startSession } from './accounts.service.ts'
import { confirmAddress } from './address.service.ts'
import { readEmail } from './email.ts'
import { hashPassword, passwordIssue, verifyPassword } from './password.ts'
import * as pending from './pending-accounts.repository.ts'
import { mailSignupJob } from './sign-up.jobs.ts'

type Input<Name extends keyof typeof accountEndpoints> = BodyOf<(typeof accountEndpoints)[Name]>

/**
 * Accepts the invitation with this code in the transaction that creates the account. The transaction then enters the
 * invitation's space.
 */
type Join<Joined> = (tx: Tx, actor: AccountActor, code: string) => Promise<Joined>

/** The sign-in, and the result of the invitation. `joined` null: no invitation. */
export type SignedUp<Joined> = Admission & { joined: Joined | null }

const codePurpose = 'invitation of a pending account'

/**
 * Creates an account and signs in. An invitation code, if sent, must be valid, and `join` accepts the invitation. A
 * code that was mailed to the email address verifies the address; other addresses get a verification mail. Throws the
 * errors of `join`, `ValidationFailed`, `InvalidInvitationCode`, `InvitationRequired`, `SignupIsClosed`,
 * `InvalidPassword`, `EmailIsAlreadyInUse`, `TooManyRequests`.
 *
 * Returns null if the installation verifies addresses before it creates accounts ({@link finishSignUp}). Exceptions are
 * the first account, and an address verified by the code.
 */
export async function signUp<Joined>(
  ctx: PublicContext,
  input: Input<'signup'>,
  browser: Browser,
  join: Join<Joined>,
): Promise<SignedUp<Joined> | null> {
  const address = readEmail(input.email)
  if ('issue' in address) throw new AppError('ValidationFailed', { issues: [address.issue] })
  const issue = passwordIssue(input.password, address.email)
  if (issue) throw new AppError('InvalidPassword', { issues: [issue] })
  await countAttempt(ctx.db, [[signupLimit(ctx.origin.ip)]])
  const code = input.invitationCode
  const invited = code === undefined ? null : await findInvited(ctx.db, code)
  if (code !== undefined && !invited) throw new AppError('InvalidInvitationCode')
  const refusal = await refusalOfSignup(ctx, code !== undefined)
  const isFirst = !(await accounts.hasAccounts(ctx.db))
  if (refusal && !isFirst) throw refusal
  const isProven = invited?.emailKey === address.key
  const details = {
    email: address.email,
    emailKey: address.key,
    name: input.name ?? '',
    language: input.language ?? preferredLanguage(),
  }
  const confirmation = await signupConfirmation(ctx.db, ctx.services.config)
  if (confirmation === 'before' && !isProven && !isFirst) {
    await waitForConfirmation(ctx, { ...details, password: input.password, code })
    return null
  }
  // Checked before the expensive hashing. The unique index makes the final decision.
  await requireFreeAddress(ctx, address.key)
  const passwordHash = await hashPassword(input.password)
  return inTransaction(ctx.db, (tx) =>
    openAccount({ ...ctx, db: tx }, { ...details, passwordHash, code, isProven }, refusal, browser, join),
  )
}

/**
 * Stores a sign-up until its mailed link is followed. Only the job checks whether the email address has an account, so
 * that neither the response nor its time reveals it.
 */
async function waitForConfirmation(
  ctx: PublicContext,
  { password, code, ...details }: Details & { password: string },
): Promise<void> {
  const { db, services } = ctx
  await countAttempt(db, [[pendingLimit(details.emailKey)]])
  const passwordHash = await hashPassword(password)
  const keyring = createKeyring(services.secrets.encryptionKeys)
  const invitation = code === undefined ? null : keyring.seal(code, codePurpose)
  const id = newId()
  noteAudit(ctx, { act: 'account.signupAsked' })
  await inTransaction(db, async (tx) => {
    await pending.insertPending(tx, { id, ...details, passwordHash, invitation })
    await enqueue(tx, mailSignupJob, { id })
  })
}

/** Returns the email address of the sign-up with this link. Throws `LinkIsNotValid`. */
export async function lookAtSignUp({ db }: PublicContext, token: string): Promise<{ email: string }> {
  const found = await pending.findPending(db, token)
  if (!found) throw new AppError('LinkIsNotValid')
  return { email: found.email }
}

/**
 * Creates the account of a sign-up by its mailed link, and signs in. Requires the password of that sign-up, because
 * another person may have signed up with the email address. Throws `LinkIsNotValid`, `IncorrectPassword`, and the
 * errors of {@link signUp}.
 */
export async function finishSignUp<Joined>(
  ctx: PublicContext,
  { token, password }: Input<'finishSignup'>,
  browser: Browser,
  join: Join<Joined>,
): Promise<SignedUp<Joined>> {
  await countAttempt(ctx.db, [[mailLimit(ctx.origin.ip)]])
  const found = await pending.findPending(ctx.db, token)
  if (!found) throw new AppError('LinkIsNotValid')
  if (!(await verifyPassword(found.passwordHash, password)))
    throw new AppError('IncorrectPassword', { issues: [{ path: 'password', code: 'InvalidValue' }] })
  const keyring = createKeyring(ctx.services.secrets.encryptionKeys)
  const code = found.invitation === null ? undefined : keyring.open(found.invitation, codePurpose)
  if (code === null) throw new AppError('InvalidInvitationCode')
  const refusal = await refusalOfSignup(ctx, code !== undefined)
  return inTransaction(ctx.db, async (tx) => {
    if (!(await pending.takePending(tx, token))) throw new AppError('LinkIsNotValid')
    return openAccount({ ...ctx, db: tx }, { ...found, code, isProven: true }, refusal, browser, join)
  })
}

interface Details extends pending.Applicant {
  code: string | undefined
}

/**
 * Creates the account, starts a session, and accepts the invitation. Throws `refusal`, if not null, unless the account
 * is the first of the installation.
 */
async function openAccount<Joined>(
  ctx: PublicContext & { db: Tx },
  details: Details & { passwordHash: string; isProven: boolean },
  refusal: AppError | null,
  browser: Browser,
  join: Join<Joined>,
): Promise<SignedUp<Joined>> {
  const { email, emailKey, passwordHash, name, language, code, isProven } = details
  const row = { id: newId(), email, email_key: emailKey, password_hash: passwordHash, name, language }
  const made = await accounts.insertAccount(ctx.db, row)
  // `refusal` does not apply to the first account. After the check in {@link signUp}, another account may have become
  // the first one.
  if (refusal && !made.isAdmin) throw refusal
  const account = { ...made, emailVerified: isProven }
  if (isProven) await confirmAddress(ctx, account, null)
  else await sendConfirmation(ctx, account, emailKey)
  const admission = await startSession(ctx, browser, account, emailKey)
  const { known } = await loginBrake(ctx.db, emailKey, ctx.origin.ip, null)
  await rememberNetwork(ctx.db, known)
  // Must be last, because the transaction then enters the space.
  const joined = code === undefined ? null : await join(ctx.db, accountActor(account), code)
  return { ...admission, joined }
}

/**
 * Throws `EmailIsAlreadyInUse` for a used email address. After too many of these errors, throws `TooManyRequests` for
 * any address.
 */
async function requireFreeAddress({ db, origin }: PublicContext, emailKey: string): Promise<void> {
  const counted = await countAttempt(db, [takenLimits(origin.ip, emailKey)])
  if (await accounts.isEmailTaken(db, emailKey))
    throw new AppError('EmailIsAlreadyInUse', { issues: [{ path: 'email', code: 'DuplicatedValue' }] })
  await uncountAttempt(db, counted)
}

async function refusalOfSignup(
  { db, services }: PublicContext,
  isInvited: boolean,
): Promise<AppError | null> {
  const mode = await signupMode(db, services.config)
  if (mode === 'closed') return new AppError('SignupIsClosed')
  return mode === 'open' || isInvited ? null : new AppError('InvitationRequired')
}

/** Returns whether visitors can sign up, and whether this would be the first account. */
export async function readSignupState({ db, services }: PublicContext) {
  const firstAccount = !(await accounts.hasAccounts(db))
  return { firstAccount, signup: firstAccount ? ('open' as const) : await signupMode(db, services.config) }
}
