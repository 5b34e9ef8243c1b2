import { type AuditEntry, writeAudit, writeAuditOfMember } from '#server/access/audit.ts'
import { type Db, inTransaction, type Tx } from '#server/db/scope.ts'
import { changeEmailByOperator } from '#server/features/account-security/email.service.ts'
import { emailKey, findAccountByEmail } from '#server/features/accounts/accounts.service.ts'
import { resetByOperator } from '#server/features/second-factor/resets.service.ts'
import { liftRanges, liftSso } from '#server/features/security/security.service.ts'
import type { Services } from '#server/services.ts'
import { AppError } from '#shared/errors.ts'
import { findSpaceByUid } from './installation.repository.ts'

/*
 * Commands with which the operator restores access on the machine itself (docs/decisions/0092). Operators could also
 * write to the database directly, but without an audit log entry.
 */

export type Unlocking =
  | { what: 'space'; uid: string }
  | { what: 'second-factor'; email: string }
  | { what: 'email'; email: string; to: string }

/** Result of a command. `nothing`: there was nothing to remove. */
export type Unlocked = 'done' | 'nothing' | 'noSpace' | 'noAccount' | 'emailIsTaken' | 'emailIsWrong'

interface Operator {
  /** The name of the user on the machine; may be empty. */
  name: string
  services: Services
}

/** Runs a command and writes its audit log entries in one transaction. */
export function unlock(db: Db, operator: Operator, asked: Unlocking): Promise<Unlocked> {
  return inTransaction(db, (tx) =>
    asked.what === 'space' ? unlockSpace(tx, operator, asked.uid) : unlockAccount(tx, operator, asked),
  ).catch(asRefusal)
}

async function unlockSpace(tx: Tx, operator: Operator, uid: string): Promise<Unlocked> {
  const space = await findSpaceByUid(tx, uid)
  if (!space) return 'noSpace'
  const before = await liftRanges(tx, space.scope)
  const wasRequired = await liftSso(tx, space.scope)
  if (before === null && !wasRequired) return 'nothing'
  const entry = entryOf(operator, 'security.unlock', {
    kind: 'security',
    id: space.uid,
    name: space.name,
  })
  entry.details = {
    changes: [
      ...(before === null ? [] : [{ key: 'ipRanges', before }]),
      ...(wasRequired ? [{ key: 'ssoRequired', before: true, after: false }] : []),
    ],
  }
  await writeAudit(tx, space.scope, entry)
  await writeAudit(tx, null, entry)
  return 'done'
}

async function unlockAccount(
  tx: Tx,
  operator: Operator,
  asked: Exclude<Unlocking, { what: 'space' }>,
): Promise<Unlocked> {
  const key = emailKey(asked.email)
  const account = key === null ? null : await findAccountByEmail(tx, key)
  if (!account) return 'noAccount'
  const object = { kind: 'account' as const, id: account.id, name: account.name || account.email }
  if (asked.what === 'second-factor') {
    if (!(await resetByOperator({ db: tx, services: operator.services }, account.id))) return 'nothing'
    return note(tx, entryOf(operator, 'account.resetSecondFactor', object))
  }
  const changed = await changeEmailByOperator({ db: tx, services: operator.services }, account.id, asked.to)
  const entry = entryOf(operator, 'account.changeEmail', object)
  entry.details = { changes: [{ key: 'email', before: changed.before, after: changed.email }] }
  return note(tx, entry)
}

/** Writes the entry to the installation's log and to the logs of the account's spaces. */
async function note(tx: Tx, entry: AuditEntry): Promise<'done'> {
  await writeAudit(tx, null, entry)
  await writeAuditOfMember(tx, entry.object.id ?? '', entry)
  return 'done'
}

const entryOf = ({ name }: Operator, act: AuditEntry['act'], object: AuditEntry['object']): AuditEntry => ({
  act,
  outcome: 'done',
  actor: { kind: 'operator', name },
  object,
  details: {},
})

function asRefusal(error: unknown): 'emailIsTaken' | 'emailIsWrong' {
  const code = error instanceof AppError ? error.code : null
  if (code === 'ValidationFailed') return 'emailIsWrong'
  if (code === 'EmailIsAlreadyInUse') return 'emailIsTaken'
  throw error
}
