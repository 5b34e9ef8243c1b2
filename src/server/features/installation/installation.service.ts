import type { AccountContext } from '#server/access/context.ts'
import { signupMode } from '#server/access/sign-up.ts'
import { findAccount } from '#server/features/accounts/accounts.service.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import { createMinuteLimit } from '#server/lib/minute-limit.ts'
import * as mails from '#server/mailing/kept-mails.ts'
import { findMailTroubles } from '#server/mailing/mail-troubles.ts'
import { sendTestMail } from '#server/mailing/send-mail.ts'
import type { InstallationSettings } from '#shared/contract/installation.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import type { SignupMode } from '#shared/sign-up.ts'
import { setSignup } from './installation.repository.ts'

export async function readSettings({
  db,
  services: { config },
}: AccountContext): Promise<InstallationSettings> {
  return { signup: await signupMode(db, config), signupIsFixed: config.signup !== undefined }
}

/** Throws `SettingIsFixed` for what the operator has set. */
export async function updateSettings(
  ctx: AccountContext,
  { signup }: { signup: SignupMode },
): Promise<InstallationSettings> {
  if (ctx.services.config.signup !== undefined) throw new AppError('SettingIsFixed')
  await setSignup(ctx.db, signup)
  return readSettings(ctx)
}

/**
 * Mails that were kept for want of a mail server. With one they are shown to nobody, though some may not have ended; what could not
 * be sent is told by number and reason.
 */
export async function listMails({ db, services: { config, secrets } }: AccountContext) {
  if (config.mail.url) return { isSent: true, mails: [], troubles: await findMailTroubles(db) }
  const kept = await mails.listKeptMails(db, createKeyring(secrets.encryptionKeys))
  return { isSent: false, mails: kept, troubles: null }
}

/** So many test mails a minute: each is a connection to somebody else's server. */
const testMails = createMinuteLimit(5)

/**
 * Sends a test mail to the caller's own address, while they wait. Answers what the mail server said against it; null: it was taken.
 * Throws 404 without a mail server, `TooManyRequests`.
 */
export async function testMail({ db, actor, services }: AccountContext) {
  if (!testMails.allows(actor.accountId)) throw new AppError('TooManyRequests')
  const found = await findAccount(db, actor.accountId)
  if (!found) throw new AppError('NotFound')
  try {
    await sendTestMail(services.config, { to: found.account.email, language: actor.language })
    return { to: found.account.email, problem: null }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'NotFound') throw error
    return { to: found.account.email, problem: { code: error.code, message: error.message } }
  }
}

export async function deleteMail({ db }: AccountContext, id: string): Promise<void> {
  if (!idPattern.test(id)) throw new AppError('NotFound')
  await mails.deleteKeptMail(db, id)
}
