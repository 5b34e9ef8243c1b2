import { leaveNoAudit } from '#server/access/audit.ts'
import type { PublicContext } from '#server/access/context.ts'
import { inTransaction, spaceScope, type Tx } from '#server/db/scope.ts'
import { findMember, findMemberOfAccount } from '#server/features/members/members.service.ts'
import type { SsoTestResult } from '#shared/contract/sso.ts'
import { AppError } from '#shared/errors.ts'
import {
  decide,
  type Finisher,
  type Opened,
  type Outcome,
  openAnswered,
  type Place,
} from './finish.service.ts'
import { reasonOf } from './refusals.ts'
import * as signIns from './sign-ins.repository.ts'

/** Carries the result of an SSO test out of the transaction that is rolled back. */
class SsoTestRollback extends Error {
  readonly result: SsoTestResult
  constructor(result: SsoTestResult) {
    super('An SSO test is rolled back')
    this.result = result
  }
}

/**
 * Performs the sign-in of an SSO test and rolls it back. Returns null for a normal sign-in. Throws `SsoHasEnded` for an
 * invalid code, and for an SSO test that another account started.
 */
export async function finishSsoTest(
  ctx: PublicContext,
  code: string,
  finisher: Finisher,
): Promise<(Place & { testResult: SsoTestResult }) | null> {
  const opened = await inTransaction(ctx.db, (tx) => openAnswered({ ...ctx, db: tx }, code, finisher.browser))
  const { triedBy, claims, row, place } = opened
  if (triedBy === undefined) return null
  leaveNoAudit(ctx)
  if (triedBy !== finisher.account?.id) throw new AppError('SsoHasEnded')
  const { emailProblem: _, managedBy: __, groupsProblem = null, ...rest } = claims
  const told = { ...rest, groupsProblem }
  const testResult = await inTransaction(ctx.db, async (tx): Promise<SsoTestResult> => {
    // The request's audit trail is left out, because a sign-in that is rolled back did not happen.
    const { audit: _, ...inside } = { ...ctx, db: tx }
    const outcome = await decide(inside, opened, finisher)
    throw new SsoTestRollback({ claims: told, ...(await resultOf(tx, opened, outcome)) })
  }).catch((error: unknown): SsoTestResult => {
    if (error instanceof SsoTestRollback) return error.result
    if (!(error instanceof AppError)) throw error
    return { claims: told, result: 'refused', reason: reasonOf(error), email: null, roleId: null }
  })
  await signIns.deleteSignIn(ctx.db, row.id)
  return { ...place, testResult }
}

async function resultOf(
  tx: Tx,
  { connection }: Opened,
  outcome: Outcome,
): Promise<Omit<SsoTestResult, 'claims'>> {
  if ('link' in outcome) return { result: 'link', reason: null, email: outcome.link.email, roleId: null }
  const { id, email } = outcome.admission.account
  const scope = spaceScope(connection.spaceId)
  const memberId = await findMemberOfAccount(tx, scope, id)
  const member = memberId === null ? null : await findMember(tx, scope, memberId)
  return { result: 'signIn', reason: null, email, roleId: member?.role ?? null }
}
