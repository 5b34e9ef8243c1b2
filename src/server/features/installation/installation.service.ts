import type { AccountContext } from '#server/access/context.ts'
import { signupConfirmation, signupMode } from '#server/access/sign-up.ts'
import { spaceCreation } from '#server/access/space-creation.ts'
import { findAccount } from '#server/features/accounts/accounts.service.ts'
import { createMinuteLimit } from '#server/lib/event-limit.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import * as mails from '#server/mailing/kept-mails.ts'
import { findMailTroubles } from '#server/mailing/mail-troubles.ts'
import { sendTestMail } from '#server/mailing/send-mail.ts'
import type { InstallationListQuery, InstallationSettings } from '#shared/contract/installation.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import * as installation from './installation.repository.ts'
import * as lists from './lists.repository.ts'

export async function readSettings({
  db,
  services: { config },
}: AccountContext): Promise<InstallationSettings> {
  return {
    signup: await signupMode(db, config),
    signupIsFixed: config.signup !== undefined,
    signupConfirmation: await signupConfirmation(db, config),
    signupConfirmationIsFixed: config.signupConfirmation !== undefined,
    spaceCreation: await spaceCreation(db, config),
    spaceCreationIsFixed: config.spaceCreation !== undefined,
  }
}

/** Changes the settings. Throws `SettingIsFixed` for settings that the configuration sets. */
export async function updateSettings(
  ctx: AccountContext,
  choices: installation.SettingChoices,
): Promise<InstallationSettings> {
  const { config } = ctx.services
  for (const name of ['signup', 'signupConfirmation', 'spaceCreation'] as const)
    if (choices[name] !== undefined && config[name] !== undefined) throw new AppError('SettingIsFixed')
  await installation.updateSettings(ctx.db, choices)
  return readSettings(ctx)
}

export const listSpaces = ({ db }: AccountContext, query: InstallationListQuery) =>
  lists.listSpaces(db, query)

export const listAccounts = ({ db }: AccountContext, query: InstallationListQuery) =>
  lists.listAccounts(db, query)

/**
 * Returns the mails that are kept because no mail server is configured. With a mail server, kept mails are not
 * returned, because links in them may still be valid. Instead, `troubles` contains the numbers of failed mails and the
 * last error (null: no failures).
 */
export async function listMails({ db, services: { config, secrets } }: AccountContext) {
  if (config.mail.url) return { isSent: true, mails: [], troubles: await findMailTroubles(db) }
  const kept = await mails.listKeptMails(db, createKeyring(secrets.encryptionKeys))
  return { isSent: false, mails: kept, troubles: null }
}

/** Limits test mails per minute and account, because each connects to an external server. */
const testMails = createMinuteLimit(5)

/**
 * Sends a test mail to the caller's email address and waits for the result. `problem`: the mail server's error. null:
 * it accepted the mail. Throws `TooManyRequests`, and 404 if no mail server is configured.
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
