import type { AccountRow } from '#server/access/account.ts'
import { type AuditTrail, noteAudit } from '#server/access/audit.ts'
import type { AccountContext, TransactionContext } from '#server/access/context.ts'
import { proveAddress } from '#server/access/proven-address.ts'
import type { Session } from '#server/access/sessions.ts'
import { AppError } from '#shared/errors.ts'
import * as accounts from './accounts.repository.ts'

/**
 * The owner of an account's address has shown it to be theirs: the first time, what anybody else has set up there goes, and
 * they are told by mail if a second factor was among it. Outside of spaces.
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

/** Throws `EmailIsNotVerified`: what protects an account is set up by who has shown its address to be theirs. */
export async function requireProvenAddress({ db, actor }: AccountContext): Promise<void> {
  const found = await accounts.findAccount(db, actor.accountId)
  if (!found?.account.emailVerified) throw new AppError('EmailIsNotVerified')
}
