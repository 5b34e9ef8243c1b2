import { sourceOf } from '#server/access/attempts.ts'
import { writeAudit } from '#server/access/audit.ts'
import type { CallOrigin } from '#server/access/call-origin.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { type Db, spaceScope } from '#server/db/scope.ts'
import { listAuditLog } from '#server/features/audit-log/audit-log.service.ts'
import { InvitationIsUsed } from '#server/features/invitations/invitations.service.ts'
import { createMinuteLimit } from '#server/lib/event-limit.ts'
import { type SsoRefusalEntry, type SsoRefusalReason, ssoRefusalReasons } from '#shared/contract/sso.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { SsoRefusal, textOf } from './claims.ts'
import { findConnection, type OpenConnection } from './sso.repository.ts'

const refusedAct = 'security.ssoRefuse'

/**
 * Limits the recorded refusals to 30 per minute and network address in each process, so that forged answers cannot
 * flood the log of the space.
 */
const told = createMinuteLimit(30)

/** Maximum length of a detail in characters, enough for the descriptions of Entra ID. */
const longestDetail = 500
const shown = 20

const reasonsByCode: Partial<Record<ErrorCode, SsoRefusalReason>> = {
  SsoAddressNotAllowed: 'domain',
  SsoNotInvited: 'notInvited',
  SignupIsClosed: 'signupClosed',
  SsoUnavailable: 'unreachable',
  SsoHasEnded: 'ended',
  SsoDeactivated: 'deactivated',
  InvalidInvitationCode: 'invitation',
}

/**
 * Records a refused sign-in with its reason in the space's audit log. The browser that signs in does not get the
 * reason. Does nothing for errors other than `AppError`, and beyond the limit of `told`.
 */
export async function tellRefusal(
  db: Db,
  { id, spaceId, spaceName }: Pick<OpenConnection, 'id' | 'spaceId' | 'spaceName'>,
  error: unknown,
  { ip, agent }: CallOrigin,
  /** The email address in the verified claims. null: none, or the claims are not verified. */
  email: string | null = null,
): Promise<void> {
  if (!(error instanceof AppError) || !told.allows(sourceOf(ip))) return
  await writeAudit(db, spaceScope(spaceId), {
    act: refusedAct,
    outcome: error.code,
    actor: null,
    ip,
    agent,
    object: { kind: 'security', id, name: email ?? spaceName },
    details: { reason: reasonOf(error), detail: detailOf(error), email },
  })
}

const causesOf = (error: Error): Error[] =>
  error.cause instanceof Error ? [error.cause, ...causesOf(error.cause)] : []

export function reasonOf(error: AppError): SsoRefusalReason {
  const causes = causesOf(error)
  if (causes.some((cause) => cause instanceof InvitationIsUsed)) return 'invitationUsed'
  const refusal = causes.find((cause) => cause instanceof SsoRefusal)
  return refusal?.reason ?? reasonsByCode[error.code] ?? 'other'
}

/**
 * Returns the messages of the causes in one line of at most 500 characters. They may contain texts sent by the identity
 * provider. null: no messages.
 */
const detailOf = (error: AppError) =>
  textOf(
    causesOf(error)
      .map(({ message }) => message)
      .join(': ')
      .replace(/\s+/g, ' ')
      .slice(0, longestDetail),
    longestDetail,
  )

/** Returns up to 20 of the newest refused sign-ins of the space's connection, for the admins of the space. */
export async function listRefusals(ctx: SpaceContext): Promise<SsoRefusalEntry[]> {
  const connection = await findConnection(ctx.db, ctx.scope)
  if (!connection) return []
  const filter = { object: connection.id, outcome: 'refused', limit: shown } as const
  const { auditLogs } = await listAuditLog(ctx, filter)
  const refusals = auditLogs.filter(({ act }) => act === refusedAct)
  return refusals.map(({ at, ip, details }) => ({
    at,
    ip,
    reason: ssoRefusalReasons.find((reason) => reason === details.reason) ?? 'other',
    detail: typeof details.detail === 'string' ? details.detail : null,
    email: typeof details.email === 'string' ? details.email : null,
  }))
}
