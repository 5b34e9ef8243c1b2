import { accountOf } from '#server/access/actor.ts'
import { noteAudit, writeAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { commands } from '#server/features/roles/roles.service.ts'
import { newTokenValue } from '#server/features/tokens/tokens.service.ts'
import { createHourLimit } from '#server/lib/event-limit.ts'
import { newId, sha256 } from '#server/lib/ids.ts'
import type { ScimConnection } from '#shared/contract/scim.ts'
import { AppError } from '#shared/errors.ts'
import { allRights } from '#shared/permissions.ts'
import * as rows from './scim-connection.repository.ts'

const present = ({ space, services }: SpaceContext, row: rows.ConnectionRow): ScimConnection => ({
  url: `${services.config.url}/scim/v2/${encodeURIComponent(space.uid)}`,
  last4: row.last4,
  sendsMail: row.sends_mail,
  createdAt: row.created_at.toISOString(),
  renewedAt: row.renewed_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
})

export async function getConnection(ctx: SpaceContext): Promise<ScimConnection | null> {
  const row = await rows.findConnection(ctx.db, ctx.scope)
  return row && present(ctx, row)
}

/**
 * Creates a token, or replaces the existing one, which becomes invalid. Throws 403 unless the caller has all rights.
 */
export async function createConnection(
  ctx: SpaceContext,
  { sendsMail }: { sendsMail?: boolean | undefined },
): Promise<ScimConnection & { token: string }> {
  await lockSpace(ctx, 'security.manage')
  // The token can end memberships and assign the roles of groups, so creating it requires all rights.
  if (!commands(ctx.grants, { rights: [...allRights], models: {} })) throw new AppError('Forbidden')
  const before = await rows.findConnection(ctx.db, ctx.scope)
  const token = newTokenValue('scim')
  const row = await rows.saveConnection(ctx.db, ctx.scope, {
    id: before?.id ?? newId(),
    value_hash: sha256(token),
    last4: token.slice(-4),
    sends_mail: sendsMail ?? before?.sends_mail ?? true,
    created_by: accountOf(ctx.actor),
  })
  noteAudit(ctx, { ...(before ? { act: 'scim.refresh' } : {}), objectId: row.id, objectName: 'SCIM' })
  return { ...present(ctx, row), token }
}

/** Sets whether the connection sends mails. Throws 404 if there is no connection. */
export async function updateConnection(
  ctx: SpaceContext,
  { sendsMail }: { sendsMail?: boolean | undefined },
): Promise<ScimConnection> {
  await lockSpace(ctx, 'security.manage')
  const before = await rows.findConnection(ctx.db, ctx.scope)
  const row = await rows.updateConnection(ctx.db, ctx.scope, sendsMail ?? before?.sends_mail ?? true)
  if (!before || !row) throw new AppError('NotFound')
  noteAudit(ctx, { objectId: row.id, objectName: 'SCIM', before: present(ctx, before) })
  return present(ctx, row)
}

/** Deletes the connection; members stay. Throws 404. */
export async function deleteConnection(ctx: SpaceContext): Promise<void> {
  await lockSpace(ctx, 'security.manage')
  const before = await rows.findConnection(ctx.db, ctx.scope)
  if (!before || !(await rows.deleteConnection(ctx.db, ctx.scope))) throw new AppError('NotFound')
  noteAudit(ctx, { objectId: before.id, objectName: 'SCIM' })
}

/**
 * Limits audit log entries for lists ({@link recordListing}) to one per hour and key in each process, because a
 * directory reads its users and groups page by page, many times a day.
 */
const listed = createHourLimit(1)

/**
 * Records in the audit log that a directory lists its users or groups. Each process writes at most one entry per hour
 * for a connection, kind of list and IP address.
 */
export async function recordListing(ctx: SpaceContext, kind: 'users' | 'groups'): Promise<void> {
  const { db, scope, actor, origin } = ctx
  const tokenId = actor.kind === 'token' ? actor.tokenId : ''
  if (!listed.allows(`${tokenId} ${kind} ${origin?.ip}`)) return
  await writeAudit(db, scope, {
    act: 'scim.list',
    outcome: 'done',
    actor,
    ip: origin?.ip ?? null,
    agent: origin?.agent ?? null,
    object: { kind: 'scim', id: tokenId, name: 'SCIM' },
    details: { type: kind },
  })
}
