import type { ServerContext } from '#server/access/context.ts'
import { findAccount } from '#server/features/accounts/accounts.service.ts'
import type { MailValues } from '#server/mail/templates/index.ts'
import { countRecoveryCodes } from './second-factor.repository.ts'

/** Mails the owner that their second factor was switched on or off. */
export async function tell({ db, services }: ServerContext, id: string, isOn: boolean): Promise<void> {
  const found = await findAccount(db, id)
  if (!found) return
  const { email, language, name } = found.account
  const values = { name, isOn, link: `${services.config.url}/forgot-password` }
  await services.mail.send(db, { to: email, language, template: 'secondFactorChanged', values })
}

/** Mails the owner that their second factor was removed, with the cause of the removal (`by`). */
export async function tellReset(
  { db, services }: ServerContext,
  id: string,
  by: Pick<MailValues<'secondFactorReset'>, 'by' | 'who'>,
): Promise<void> {
  const found = await findAccount(db, id)
  if (!found) return
  const { email, language, name } = found.account
  const values = { name, ...by, link: `${services.config.url}/account/two-factor` }
  await services.mail.send(db, { to: email, language, template: 'secondFactorReset', values })
}

/** Mails the owner about a change of their passkeys or recovery codes while the second factor stays on. */
export async function tellUse(
  { db, services }: ServerContext,
  id: string,
  what: MailValues<'secondFactorUsed'>['what'],
): Promise<void> {
  const found = await findAccount(db, id)
  if (!found) return
  const { email, language, name } = found.account
  const left = await countRecoveryCodes(db, id)
  const values = { name, what, left, link: `${services.config.url}/forgot-password` }
  await services.mail.send(db, { to: email, language, template: 'secondFactorUsed', values })
}
