import { accountOf } from '#server/access/actor.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { lockSpace, memberOf } from '#server/access/membership.ts'
import { appScope } from '#server/db/scope.ts'
import {
  addOtherToApp,
  type MemberRow,
  requireAppMember,
  requireMember,
} from '#server/features/members/members.service.ts'
import { requireGivable } from '#server/features/roles/roles.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern, uidPattern } from '#shared/identifiers.ts'
import type { AccessRequestRow } from './access-requests.repository.ts'
import * as requests from './access-requests.repository.ts'

/** Maximum number of requests in a list. Further ones appear when these are answered. */
const shown = 100

/** Maximum number of an app's managers who get a mail. */
const mostMails = 20

/**
 * Requests access to an app and mails its managers, at most `mostMails`. Does nothing if no private app has this uid,
 * if the member has access, or if the request exists or was recently declined. The response does not reveal whether the
 * app exists, because private apps are hidden from members without access.
 */
export async function askForAccess(
  ctx: SpaceContext,
  { app, message = '' }: { app: string; message?: string | undefined },
): Promise<void> {
  const memberId = memberOf(ctx)
  if (!uidPattern.test(app)) return
  const { seesEveryApp } = ctx.grants
  const made = await requests.insertRequest(ctx.db, ctx.scope, memberId, { app, message, seesEveryApp })
  if (made === null) return
  const subject = { appId: made.appId, actor: ctx.actor }
  await recordEvent(ctx.db, ctx.scope, 'accessRequest.made', { memberId }, subject)
  const { name } = await requireMember(ctx, memberId)
  const { config, mail } = ctx.services
  const path = [ctx.space.uid, app].map(encodeURIComponent).join('/')
  const values = { name, space: ctx.space.name, app: made.name, link: `${config.url}/${path}/-/requests` }
  const keepers = await requests.findKeepers(ctx.db, appScope(ctx.scope, made.appId), mostMails)
  for (const { email, language } of keepers)
    await mail.send(
      ctx.db,
      { to: email, language, template: 'accessRequested', values },
      { scope: ctx.scope, requestedBy: accountOf(ctx.actor) },
    )
}

export function listAccessRequests(ctx: AppContext): Promise<AccessRequestRow[]> {
  return requests.listRequests(ctx.db, ctx.scope, shown)
}

/**
 * Adds the member to the app. A member who was added in the meantime keeps their role. Throws `ValidationFailed`,
 * `InvalidRoleChange`, 404.
 */
export async function acceptAccessRequest(ctx: AppContext, id: string, role: string): Promise<MemberRow> {
  await lockSpace(ctx, 'app.manage')
  await requireRequest(ctx, id)
  await requireGivable(ctx, 'app', role, 'roleId')
  await requests.deleteRequest(ctx.db, ctx.scope, id)
  return (await addOtherToApp(ctx, id, role)) ?? requireAppMember(ctx, id)
}

/** Declines a request. Throws 404. */
export async function declineAccessRequest(ctx: AppContext, id: string): Promise<void> {
  await requireRequest(ctx, id)
  await requests.declineRequest(ctx.db, ctx.scope, id)
  const subject = { appId: ctx.app.id, actor: ctx.actor }
  await recordEvent(ctx.db, ctx.scope, 'accessRequest.declined', { memberId: id }, subject)
}

async function requireRequest(ctx: AppContext, id: string): Promise<void> {
  const found = idPattern.test(id) ? await requests.findRequest(ctx.db, ctx.scope, id) : null
  if (!found) throw new AppError('NotFound')
}
