import type { AccountContext } from '#server/access/context.ts'
import { signupMode } from '#server/access/sign-up.ts'
import type { Config, Secrets } from '#server/config.ts'
import { createKeyring } from '#server/lib/keyring.ts'
import * as mails from '#server/mail/kept-mails.ts'
import type { InstallationSettings } from '#shared/contract/installation.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import type { SignupMode } from '#shared/sign-up.ts'
import { setSignup } from './installation.repository.ts'

export async function readSettings({ db }: AccountContext, config: Config): Promise<InstallationSettings> {
  return { signup: await signupMode(db, config), signupIsFixed: config.signup !== undefined }
}

/** Throws `SettingIsFixed` for what the operator has set. */
export async function updateSettings(
  ctx: AccountContext,
  config: Config,
  { signup }: { signup: SignupMode },
): Promise<InstallationSettings> {
  if (config.signup !== undefined) throw new AppError('SettingIsFixed')
  await setSignup(ctx.db, signup)
  return readSettings(ctx, config)
}

/** Mails that were kept for want of a mail server. With one they are shown to nobody, though some may not have ended. */
export async function listMails({ db }: AccountContext, { mail }: Config, secrets: Secrets) {
  if (mail.url) return { isSent: true, mails: [] }
  return { isSent: false, mails: await mails.listKeptMails(db, createKeyring(secrets.encryptionKeys)) }
}

export async function deleteMail({ db }: AccountContext, id: string): Promise<void> {
  if (!idPattern.test(id)) throw new AppError('NotFound')
  await mails.deleteKeptMail(db, id)
}
