import type { AccountActor, Actor } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AccountContext, SpaceContext, SpaceRow } from '#server/access/context.ts'
import { findGrants } from '#server/access/grants.ts'
import { lockSpace } from '#server/access/membership.ts'
import type { Session } from '#server/access/sessions.ts'
import { mayCreateSpaces } from '#server/access/space-creation.ts'
import { notify } from '#server/db/notices.ts'
import { enterSpace, inTransaction, type SpaceScope, spaceScope, type Tx } from '#server/db/scope.ts'
import { addSpaceMember, leaveAsAccount } from '#server/features/members/members.service.ts'
import { createFromTemplate } from '#server/features/templates/templates.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import type { spaceEndpoints } from '#shared/contract/spaces.ts'
import { AppError } from '#shared/errors.ts'
import { requireUid } from '#shared/identifiers.ts'
import { creatorRoles } from '#shared/permissions.ts'
import * as spaces from './spaces.repository.ts'

type Input<Name extends keyof typeof spaceEndpoints> = BodyOf<(typeof spaceEndpoints)[Name]>

export async function listSpaces(ctx: AccountContext, { sso, ownMeans }: Session): Promise<SpaceRow[]> {
  const rows = await spaces.listSpaces(ctx.db, ctx.actor.accountId)
  return ownMeans ? rows : rows.filter(({ id }) => id === sso?.spaceId)
}

/**
 * Creates a space with the caller as its admin, optionally from a template. Throws `SpaceCreationIsRestricted`,
 * `SpaceUidIsAlreadyInUse`.
 */
export function createSpace(
  { db, services, origin, actor, audit }: AccountContext,
  { project, template }: Input<'createSpace'>,
): Promise<SpaceRow> {
  return inTransaction(db, async (tx) => {
    if (!(await mayCreateSpaces(tx, services.config, actor))) throw new AppError('SpaceCreationIsRestricted')
    const space = await spaces.insertSpace(tx, project)
    const scope = spaceScope(space.id)
    await enterSpace(tx, scope)
    const memberId = await addSpaceMember(
      { db: tx, services, scope, space },
      actor.accountId,
      creatorRoles.project,
    )
    await recordEvent(tx, scope, 'space.created', { uid: space.uid }, { actor })
    await notify(tx, { kind: 'registry', spaceId: space.id })
    const grants = await findGrants(tx, scope, memberId)
    if (template && grants)
      await createFromTemplate({ db: tx, services, origin, scope, space, actor, grants }, template)
    if (audit) {
      noteAudit({ audit }, { objectId: space.uid, objectName: space.name, after: space })
      await audit.write(tx, scope)
    }
    return space
  })
}

/** Updates the space. Throws `SpaceUidIsAlreadyInUse`, `ValidationFailed` for a reserved uid. */
export async function updateSpace(
  ctx: SpaceContext,
  { project: { uid, name, timeZone } }: Input<'updateSpace'>,
): Promise<SpaceRow> {
  if (uid !== undefined) requireUid('space', uid, ctx.space.uid, 'project.uid')
  noteAudit(ctx, { before: ctx.space, objectId: ctx.space.uid })
  const space = await spaces.updateSpace(ctx.db, ctx.scope, {
    ...(uid === undefined ? {} : { uid }),
    ...(name === undefined ? {} : { name }),
    ...(timeZone === undefined ? {} : { timeZone }),
  })
  await recordEvent(ctx.db, ctx.scope, 'space.updated', { uid: space.uid }, { actor: ctx.actor })
  await notify(ctx.db, { kind: 'registry', spaceId: space.id })
  return space
}

/**
 * Removes an account that is being deleted from all its spaces. Spaces without other members are deleted. Throws
 * `OtherAdminMembersNotExist` with the `spaces` that would have no admin, `SsoExemptAdminIsNeeded`.
 */
export async function leaveAllSpaces(tx: Tx, actor: AccountActor): Promise<void> {
  const left: { uid: string; name: string }[] = []
  for (const { id, uid, name } of await spaces.lockSpacesOf(tx, actor.accountId)) {
    const scope = spaceScope(id)
    try {
      if (!(await leaveAsAccount(tx, scope, actor))) await endSpace(tx, scope, uid, actor)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'OtherAdminMembersNotExist') throw error
      left.push({ uid, name })
    }
  }
  if (left.length > 0) throw new AppError('OtherAdminMembersNotExist', { details: { spaces: left } })
}

/** Deletes the space: it cannot be read or written from then on, and its uid can be used again. */
export async function deleteSpace(ctx: SpaceContext): Promise<void> {
  await lockSpace(ctx, 'space.delete')
  noteAudit(ctx, { objectId: ctx.space.uid, objectName: ctx.space.name })
  await endSpace(ctx.db, ctx.scope, ctx.space.uid, ctx.actor)
}

async function endSpace(tx: Tx, scope: SpaceScope, uid: string, actor: Actor): Promise<void> {
  await spaces.deleteSpace(tx, scope)
  await recordEvent(tx, scope, 'space.deleted', { uid }, { actor })
  await notify(tx, { kind: 'registry', spaceId: scope.spaceId })
}
