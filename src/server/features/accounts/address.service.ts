import type { AccountRow } from '#server/access/account.ts'
import { type AuditTrail, noteAudit } from '#server/access/audit.ts'
import type { AccountContext, TransactionContext } from '#server/access/context.ts'
import { proveAddress } from '#server/access/proven-address.ts'
import type { Session } from '#server/access/sessions.ts'
import { AppError } from '#shared/errors.ts'
import * as accounts from './accounts.repository.ts'

/**
 * Records that the owner of an account's email address has confirmed it. The first confirmation removes second factors,
 * sessions and linked identities that another person may have set up before. A mail reports a removed second factor.
 * Must run outside spaces.
 */
export async function confirmAddress(
  { db, services, audit }: TransactionContext & { audit?: AuditTrail },
  { id, email, name, language }: Pick<AccountRow, 'id' | 'email' | 'name' | 'language'>,
  session: Session | null,
): Promise<void> {
  const proven = await proveAddress(db, id, session)
  if (!proven?.hadFactor) return
  if (audit) noteAudit({ audit }, { facts: { secondFactorRemoved: true } })
  const values = { name, by: 'address' as const, who: '', link: `${services.config.url}/account/two-factor` }
  await services.mail.send(db, { to: email, language, template: 'secondFactorReset', values })
}

/**
 * Throws `EmailIsNotVerified` if the email address is not confirmed: only its proven owner may set up protection of the
 * account.
 */
export async function requireProvenAddress({ db, actor }: AccountContext): Promise<void> {
  const found = await accounts.findAccount(db, actor.accountId)
  if (!found?.account.emailVerified) throw new AppError('EmailIsNotVerified')
}
