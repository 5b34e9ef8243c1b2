import { deleteLinks, lookAtLink, useLink } from '#server/access/account-links.ts'
import { countAttempt, mailLimit } from '#server/access/attempts.ts'
import type { AccountContext, Browser, PublicContext, TransactionContext } from '#server/access/context.ts'
import {
  deleteSessionOf,
  deleteSessionsOf,
  listSessions,
  type Session,
  type SessionRow,
} from '#server/access/sessions.ts'
import { inTransaction } from '#server/db/scope.ts'
import {
  type Admission,
  admitAccount,
  confirmAddress,
  emailKey,
  hashPassword,
  passwordIssue,
  requireOwn,
  requirePassword,
} from '#server/features/accounts/accounts.service.ts'
import { leaveAllSpaces } from '#server/features/spaces/spaces.service.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { forgotPasswordJob, forgottenPurpose } from './account-security.jobs.ts'
import * as repository from './account-security.repository.ts'

/** Returns the caller's sessions and pending change of email address. Throws 404 for another account's id. */
export async function readSecurity(ctx: AccountContext, id: string, session: Session) {
  requireOwn(ctx, id)
  const sessions: SessionRow[] = await listSessions(ctx.db, id, session)
  return { sessions, emailChange: await repository.findEmailChange(ctx.db, id) }
}

/** Ends one of the caller's sessions. Throws 404 if it does not exist. */
export async function endSession(ctx: AccountContext, id: string, sessionId: string): Promise<void> {
  requireOwn(ctx, id)
  const ended = idPattern.test(sessionId) && (await deleteSessionOf(ctx.db, id, sessionId))
  if (!ended) throw new AppError('NotFound')
}

export async function endOtherSessions(ctx: AccountContext, id: string, session: Session): Promise<void> {
  requireOwn(ctx, id)
  await deleteSessionsOf(ctx.db, id, session)
}

/**
 * Changes the caller's password: all sessions end, and a new one starts. Throws 404, `IncorrectPassword`,
 * `InvalidPassword`, `TooManyRequests`.
 */
export async function changePassword(
  ctx: AccountContext,
  id: string,
  { password, newPassword }: { password: string; newPassword: string },
  email: string,
  browser: Browser,
): Promise<Admission> {
  requireOwn(ctx, id)
  requireGoodPassword(newPassword, email, 'newPassword')
  const verified = await requirePassword(ctx, password, browser)
  const passwordHash = await hashPassword(newPassword)
  return inTransaction(ctx.db, async (tx) => {
    // If two changes with the same password run concurrently, the second fails instead of undoing the first.
    if (!(await repository.lockWithPassword(tx, id, verified))) throw new AppError('IncorrectPassword')
    const inside = { ...ctx, db: tx }
    await replacePassword(inside, id, passwordHash)
    return admitAccount(inside, browser, id)
  })
}

function requireGoodPassword(password: string, email: string, path: string): void {
  const issue = passwordIssue(password, email)
  if (issue) throw new AppError('InvalidPassword', { issues: [{ ...issue, path }] })
}

/**
 * Sets the password. Ends the account's sessions, pending sign-ins by password, passkey registrations, password resets
 * and changes of address. Mails the owner.
 */
async function replacePassword(
  { db: tx, services }: TransactionContext,
  id: string,
  passwordHash: string,
): Promise<void> {
  const person = await repository.lockPerson(tx, id)
  if (!person) throw new AppError('Unauthorized')
  await repository.setPasswordHash(tx, id, passwordHash)
  // Pending second steps of sign-ins are deleted before the sessions. If one of them completes concurrently, the
  // deletion waits for it, so the session that it creates is deleted too.
  await repository.deleteChallengesOf(tx, id)
  await deleteSessionsOf(tx, id)
  await deleteLinks(tx, id, ['resetPassword', 'newEmail', 'oldEmail'])
  const { email, language, name } = person
  const values = { name, link: `${services.config.url}/forgot-password` }
  await services.mail.send(tx, { to: email, language, template: 'passwordChanged', values })
}

/**
 * Mails a link to the account with this email address, if it exists, without revealing whether it does. Throws
 * `TooManyRequests`.
 */
export async function forgotPassword({ db, services, origin }: PublicContext, email: string): Promise<void> {
  await countAttempt(db, [[mailLimit(origin.ip)]])
  const key = emailKey(email) ?? ''
  const sealed = createKeyring(services.secrets.encryptionKeys).seal(key, forgottenPurpose)
  await enqueue(db, forgotPasswordJob, { sealed })
}

/**
 * Returns the email address of the account whose password or second factor the link resets. Throws `LinkIsNotValid`.
 */
export async function lookAtReset({ db }: PublicContext, token: string): Promise<{ email: string }> {
  const open = await lookAtLink(db, token, ['resetPassword', 'resetFactor'])
  if (!open) throw new AppError('LinkIsNotValid')
  return { email: open.email }
}

/**
 * Sets a new password by a mailed link, which also verifies the email address. Does not sign in. Throws
 * `LinkIsNotValid`, `InvalidPassword`, `TooManyRequests`.
 */
export async function resetPassword(
  ctx: PublicContext,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const { db, origin } = ctx
  await countAttempt(db, [[mailLimit(origin.ip)]])
  // The link is checked before the expensive hashing.
  const open = await lookAtLink(db, token, ['resetPassword'])
  if (!open) throw new AppError('LinkIsNotValid')
  requireGoodPassword(password, open.email, 'password')
  const passwordHash = await hashPassword(password)
  await inTransaction(db, async (tx) => {
    const link = await useLink(tx, token, ['resetPassword'])
    const person = link && (await repository.lockPerson(tx, link.accountId))
    if (!link || person?.emailKey !== link.emailKey) throw new AppError('LinkIsNotValid')
    const inside = { ...ctx, db: tx }
    await replacePassword(inside, person.id, passwordHash)
    await confirmAddress(inside, person, null)
  })
}

/**
 * Deletes the caller's account and leaves its spaces; spaces without other members are deleted. Throws 404,
 * `IncorrectPassword`, `TooManyRequests`, `OtherAdminMembersNotExist` with the `spaces` that would have no admin,
 * `SsoExemptAdminIsNeeded`, `OtherInstallationAdminsNotExist`.
 */
export async function deleteAccount(
  ctx: AccountContext,
  id: string,
  password: string,
  browser: Browser,
): Promise<void> {
  requireOwn(ctx, id)
  await requirePassword(ctx, password, browser)
  await inTransaction(ctx.db, async (tx) => {
    // From here on the account cannot become a member of any space.
    await repository.lockWhole(tx, id)
    await leaveAllSpaces(tx, ctx.actor)
    if (ctx.actor.isAdmin && !(await repository.hasOtherInstallationAdmin(tx, id)))
      throw new AppError('OtherInstallationAdminsNotExist')
    await repository.deleteAccount(tx, id)
  })
}
