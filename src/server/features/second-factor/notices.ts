import type { Config, Secrets } from '#server/config.ts'
import type { Tx } from '#server/db/scope.ts'
import { findAccount } from '#server/features/accounts/accounts.service.ts'
import { sendMail } from '#server/mail/send-mail.ts'
import type { MailValues } from '#server/mail/templates/index.ts'
import { countRecoveryCodes } from './second-factor.repository.ts'

/** What is set up for this installation. */
export interface Installation {
  config: Config
  secrets: Secrets
}

/** Mails the owner that a second factor is asked for from now on, or not any more. */
export async function tell(
  tx: Tx,
  { config, secrets }: Installation,
  id: string,
  isOn: boolean,
): Promise<void> {
  const found = await findAccount(tx, id)
  if (!found) return
  const { email, language, name } = found.account
  const values = { name, isOn, link: `${config.url}/forgot-password` }
  await sendMail(tx, secrets, { to: email, language, template: 'secondFactorChanged', values })
}

/** Mails the owner that their second factor was taken away, and by whom. */
export async function tellReset(
  tx: Tx,
  { config, secrets }: Installation,
  id: string,
  by: Pick<MailValues<'secondFactorReset'>, 'by' | 'who'>,
): Promise<void> {
  const found = await findAccount(tx, id)
  if (!found) return
  const { email, language, name } = found.account
  const values = { name, ...by, link: `${config.url}/account/two-factor` }
  await sendMail(tx, secrets, { to: email, language, template: 'secondFactorReset', values })
}

/** Mails the owner what happened to their passkeys or recovery codes while the second factor stayed on. */
export async function tellUse(
  tx: Tx,
  { config, secrets }: Installation,
  id: string,
  what: MailValues<'secondFactorUsed'>['what'],
): Promise<void> {
  const found = await findAccount(tx, id)
  if (!found) return
  const { email, language, name } = found.account
  const left = await countRecoveryCodes(tx, id)
  const values = { name, what, left, link: `${config.url}/forgot-password` }
  await sendMail(tx, secrets, { to: email, language, template: 'secondFactorUsed', values })
}
