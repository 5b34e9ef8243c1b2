import { deleteLinks, issueLink, linkMinutes, useLink } from '#server/access/account-links.ts'
import { countAttempt, mailToLimit } from '#server/access/attempts.ts'
import { type AuditTrail, noteAudit } from '#server/access/audit.ts'
import type { AccountContext, Browser, PublicContext, TransactionContext } from '#server/access/context.ts'
import { deleteSessionsOf, type Session } from '#server/access/sessions.ts'
import { inTransaction } from '#server/db/scope.ts'
import {
  confirmAddress,
  readEmail,
  requireOwn,
  requirePassword,
  sendConfirmation,
} from '#server/features/accounts/accounts.service.ts'
import { AppError } from '#shared/errors.ts'
import * as repository from './account-security.repository.ts'

/**
 * Mails the link that verifies the caller's email address. A verified address gets no mail. Throws 404,
 * `TooManyRequests`.
 */
export async function sendEmailVerification(ctx: AccountContext, id: string): Promise<void> {
  requireOwn(ctx, id)
  await countAttempt(ctx.db, [[mailToLimit(id)]])
  await inTransaction(ctx.db, async (tx) => {
    const person = await repository.lockPerson(tx, id)
    if (!person || person.emailVerified) return
    await sendConfirmation({ ...ctx, db: tx }, person, person.emailKey)
  })
}

/**
 * Confirms the email address of the caller, an admin of the installation, without a mail. Ends other sessions like the
 * mailed link. Throws 404, `MailServerIsSet`, `IncorrectPassword`, `TooManyRequests`.
 */
export async function confirmOwnEmail(
  ctx: AccountContext,
  id: string,
  password: string,
  { browser, session }: { browser: Browser; session: Session },
): Promise<void> {
  requireOwn(ctx, id)
  // With a mail server, a mailed link can prove the mailbox instead.
  if (ctx.services.config.mail.url) throw new AppError('MailServerIsSet')
  await requirePassword(ctx, password, browser)
  await inTransaction(ctx.db, async (tx) => {
    const person = await repository.lockPerson(tx, id)
    if (!person) throw new AppError('Unauthorized')
    noteAudit(ctx, { objectId: id, objectName: person.name || person.email, facts: { withoutMail: true } })
    await deleteLinks(tx, id, ['confirmEmail'])
    await confirmAddress({ ...ctx, db: tx }, person, session)
  })
}

/**
 * Starts a change of the email address: both addresses get a mail, the current one with a link if it is verified. An
 * address of another account gets no mail, and the response does not reveal that the address is used. Throws 404,
 * `IncorrectPassword`, `ValidationFailed`, `TooManyRequests`.
 */
export async function changeEmail(
  ctx: AccountContext,
  id: string,
  input: { email: string; password: string },
  browser: Browser,
): Promise<void> {
  requireOwn(ctx, id)
  const address = readEmail(input.email)
  if ('issue' in address) throw new AppError('ValidationFailed', { issues: [address.issue] })
  await requirePassword(ctx, input.password, browser)
  await countAttempt(ctx.db, [[mailToLimit(id)]])
  const { config, mail: mailer } = ctx.services
  await inTransaction(ctx.db, async (tx) => {
    const person = await repository.lockPerson(tx, id)
    if (!person) throw new AppError('Unauthorized')
    if (person.emailKey === address.key)
      throw new AppError('ValidationFailed', { issues: [{ path: 'email', code: 'DuplicatedValue' }] })
    const isTaken = (await repository.findPersonByEmail(tx, address.key)) !== null
    const change = { accountId: id, email: address.email, emailKey: address.key }
    const [byNew, byPresent] = [
      await issueLink(tx, config, { ...change, purpose: 'newEmail' }),
      await issueLink(tx, config, { ...change, purpose: 'oldEmail' }),
    ]
    const mail = { language: person.language, expiresAt: byNew.expiresAt }
    const values = { name: person.name, email: address.email, hours: linkMinutes.newEmail / 60 }
    if (!isTaken)
      await mailer.send(tx, {
        ...mail,
        to: address.email,
        template: 'emailChange',
        values: { ...values, link: byNew.link, both: person.emailVerified },
      })
    if (person.emailVerified)
      await mailer.send(tx, {
        ...mail,
        to: person.email,
        template: 'emailChangeAsked',
        values: { ...values, link: byPresent.link },
      })
    else {
      await repository.markConfirmedByPresent(tx, id)
      await mailer.send(tx, {
        ...mail,
        to: person.email,
        template: 'emailChangeBegun',
        values: { link: `${config.url}/forgot-password` },
      })
    }
  })
}

export async function cancelEmailChange(ctx: AccountContext, id: string): Promise<void> {
  requireOwn(ctx, id)
  await deleteLinks(ctx.db, id, ['newEmail', 'oldEmail'])
}

/**
 * Changes an account's email address on the operator's request; its verification status stays. Sessions and links end,
 * and both addresses get a mail. Throws `ValidationFailed`, `EmailIsAlreadyInUse`, `NotFound`.
 */
export async function changeEmailByOperator(
  { db: tx, services }: TransactionContext,
  id: string,
  input: string,
): Promise<{ before: string; email: string }> {
  const address = readEmail(input)
  if ('issue' in address) throw new AppError('ValidationFailed', { issues: [address.issue] })
  const person = await repository.lockPerson(tx, id)
  if (!person) throw new AppError('NotFound')
  const { email } = address
  await repository.setEmail(tx, id, email, address.key)
  await deleteLinks(tx, id, ['newEmail', 'oldEmail', 'confirmEmail', 'resetPassword', 'resetFactor'])
  await deleteSessionsOf(tx, id)
  const { name, language } = person
  for (const to of [person.email, email])
    await services.mail.send(tx, { to, language, template: 'emailChanged', values: { name, email } })
  return { before: person.email, email }
}

/**
 * Result of a mailed link. `isChange`: the link belongs to a change of the address. `isComplete`: no further
 * confirmation is required.
 */
export interface Confirmation {
  email: string
  isChange: boolean
  isComplete: boolean
}

/**
 * Uses up a mailed link. The second confirmation of a change sets the new email address, notifies the former one and
 * ends all sessions except the caller's. Throws `LinkIsNotValid`, `EmailIsAlreadyInUse`.
 */
export function confirmEmail(
  ctx: PublicContext,
  token: string,
  caller: { accountId: string | null; session: Session | null },
): Promise<Confirmation> {
  return inTransaction(ctx.db, async (tx) => {
    const link = await useLink(tx, token, ['confirmEmail', 'newEmail', 'oldEmail'])
    // The account is known only after the link is used. The lock serialises the two halves of a change.
    const person = link && (await repository.lockPerson(tx, link.accountId))
    if (!link || !person) throw new AppError('LinkIsNotValid')
    const inside = { ...ctx, db: tx }
    const session = caller.accountId === person.id ? caller.session : null
    if (link.purpose === 'confirmEmail') {
      if (link.emailKey !== person.emailKey) throw new AppError('LinkIsNotValid')
      await confirmAddress(inside, person, session)
      return { email: link.email, isChange: false, isComplete: true }
    }
    const change = await repository.findEmailChange(tx, person.id)
    if (!change) throw new AppError('LinkIsNotValid')
    const isComplete = change.confirmedByNew && change.confirmedByPresent
    if (isComplete) await completeChange(inside, session, person, change)
    return { email: change.email, isChange: true, isComplete }
  })
}

async function completeChange(
  ctx: TransactionContext & { audit?: AuditTrail },
  session: Session | null,
  person: repository.Person,
  { email, emailKey }: { email: string; emailKey: string },
): Promise<void> {
  const { db: tx, services } = ctx
  const { id, emailVerified, language } = person
  await repository.setEmail(tx, id, email, emailKey)
  await deleteLinks(tx, id, ['newEmail', 'oldEmail', 'confirmEmail', 'resetPassword', 'resetFactor'])
  await confirmAddress(ctx, { ...person, email }, session)
  await deleteSessionsOf(tx, id, session)
  const values = emailVerified ? { name: person.name, email } : { name: '', email: '' }
  await services.mail.send(tx, { to: person.email, language, template: 'emailChanged', values })
}
