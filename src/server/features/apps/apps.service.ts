import { Readable } from 'node:stream'
import { noteAudit } from '#server/access/audit.ts'
import type {
  AppContext,
  AppRow,
  OwnTransactions,
  SpaceContext,
  SpaceRow,
  Work,
} from '#server/access/context.ts'
import { requireQuota } from '#server/access/entitlements.ts'
import { lockSpace } from '#server/access/membership.ts'
import { notify } from '#server/db/notices.ts'
import { appScope } from '#server/db/scope.ts'
import {
  type OwnPicture,
  type OwnPictureKind,
  receiveMadePicture,
  receiveOwnPicture,
} from '#server/features/assets/own-pictures.service.ts'
import { addAppCreator } from '#server/features/members/members.service.ts'
import { requireGivable } from '#server/features/roles/roles.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { presentAppIcon, presentAppImage } from '#shared/app-pictures.ts'
import { assetPath } from '#shared/asset-address.ts'
import type { FilePart } from '#shared/contract/endpoint.ts'
import { invalid } from '#shared/errors.ts'
import type { EventType } from '#shared/events.ts'
import { requireUid } from '#shared/identifiers.ts'
import type { AppValues } from './apps.repository.ts'
import * as apps from './apps.repository.ts'

export { findLiveApps } from './apps.repository.ts'

/** Returns an app of this space in the form of responses. */
export function presentApp(
  { uid }: Pick<SpaceRow, 'uid'>,
  { visibility, defaultRole, icon, cover, ...app }: AppRow,
) {
  const addressOf = (id: string, fileName: string) => assetPath(uid, id, fileName)
  return {
    ...app,
    icon: icon && presentAppIcon(icon, addressOf),
    cover: cover && presentAppImage(cover, addressOf),
    accessSettings: { visibility, defaultRole },
  }
}

/** Returns the apps that the caller may see, in the space's order. */
export function listApps(ctx: SpaceContext): Promise<AppRow[]> {
  return apps.listApps(ctx.db, ctx.scope, ctx.grants)
}

/**
 * Creates an app with the caller as its admin. Returns the context inside it. Throws `AppUidIsAlreadyInUse` and
 * `AppQuotaExceeded`.
 */
export async function createApp(
  ctx: SpaceContext,
  input: AppValues & { uid: string; name: string },
): Promise<AppContext> {
  await requireQuota(ctx, 'apps')
  const app = await apps.insertApp(ctx.db, ctx.scope, input)
  const created: AppContext = { ...ctx, scope: appScope(ctx.scope, app.id), app: { ...app, joined: true } }
  await record(created, 'app.created', app)
  return { ...created, grants: await addAppCreator(created) }
}

/** Sets the order of the apps. Throws 400 unless `uids` are exactly the uids of the apps that the caller sees. */
export async function updateAppOrder(ctx: SpaceContext, uids: string[]): Promise<AppRow[]> {
  await lockSpace(ctx, 'app.order')
  const byUid = new Map((await listApps(ctx)).map((app) => [app.uid, app]))
  const ordered = uids.flatMap((uid) => byUid.get(uid) ?? [])
  const complete = new Set(uids).size === uids.length && ordered.length === uids.length
  if (!complete || ordered.length !== byUid.size) throw invalid('appIds', 'InvalidValue')
  const ids = ordered.map((app) => app.id)
  await apps.updateAppOrder(ctx.db, ctx.scope, ids)
  await recordEvent(ctx.db, ctx.scope, 'space.updated', { uid: ctx.space.uid }, { actor: ctx.actor })
  await notify(ctx.db, { kind: 'registry', spaceId: ctx.scope.spaceId })
  return ordered
}

/**
 * Updates an app. An icon or cover in `values` replaces an uploaded picture. Throws `AppUidIsAlreadyInUse`,
 * `ValidationFailed` for a reserved uid.
 */
export async function updateApp(ctx: AppContext, values: AppValues): Promise<AppRow> {
  if (values.uid !== undefined) requireUid('app', values.uid, ctx.app.uid, 'data.uid')
  noteAudit(ctx, { before: ctx.app })
  const app = await apps.updateApp(ctx.db, ctx.scope, values, ctx.grants.appRole)
  for (const kind of ['icon', 'cover'] as const)
    if (values[kind] !== undefined) await apps.deletePicture(ctx.db, ctx.scope, kind)
  await record(ctx, 'app.updated', app)
  return app
}

/**
 * Sets an uploaded picture as the app's icon or cover in place of the previous one. Returns the context with the
 * changed app. Throws 403, 404, and the errors of `receiveOwnPicture`.
 */
export async function uploadAppPicture(
  ctx: OwnTransactions<AppContext>,
  kind: OwnPictureKind,
  files: AsyncIterable<FilePart>,
): Promise<AppContext> {
  const picture = await receiveOwnPicture(ctx, files, kind)
  ctx.signal?.throwIfAborted()
  return ctx.inSpace((inside) => setPicture(inside, kind, picture))
}

async function setPicture(
  ctx: AppContext,
  kind: OwnPictureKind,
  { id, mediaType, bytes }: OwnPicture,
): Promise<AppContext> {
  const { db, scope, grants } = ctx
  const fileName = `${kind}.${mediaType.slice('image/'.length)}`
  const shown = { type: 'image' as const, value: id, fileName }
  const app = await apps.updateApp(db, scope, { [kind]: shown }, grants.appRole)
  await apps.putPicture(db, scope, { kind, id, media_type: mediaType, bytes })
  noteAudit(ctx, { objectId: app.uid, objectName: app.name, facts: { picture: kind } })
  await record(ctx, 'app.updated', app)
  return { ...ctx, app }
}

/** Returns the bytes of the app's icon or cover. null: it is not an uploaded picture. */
export async function readAppPicture(
  ctx: AppContext,
  kind: OwnPictureKind,
): Promise<{ mediaType: string; bytes: Buffer } | null> {
  const found = await apps.findPicture(ctx.db, ctx.scope, kind)
  return found && { mediaType: found.media_type, bytes: found.bytes }
}

/**
 * Sets an icon or cover that Imori produced, with the id `id`, unless the app already has this picture. Throws the
 * errors of `receiveMadePicture`.
 */
export async function bringAppPicture(
  ctx: Work & Pick<OwnTransactions<AppContext>, 'inSpace'>,
  kind: OwnPictureKind,
  { id, bytes }: { id: string; bytes: Buffer },
): Promise<void> {
  const has = await ctx.inSpace(async ({ app }) => {
    const shown = app[kind]
    return shown?.type === 'image' && shown.value === id
  })
  if (has) return
  const picture = await receiveMadePicture(ctx, bytes, kind)
  await ctx.inSpace((inside) => setPicture(inside, kind, { id, ...picture }))
}

/**
 * Creates an icon or cover from an imported file under this id, unless the app already has one. Throws the errors of
 * `receiveOwnPicture`.
 */
export async function bringForeignPicture(
  ctx: Work & Pick<OwnTransactions<AppContext>, 'inSpace'>,
  kind: OwnPictureKind,
  { id, file }: { id: string; file: FilePart },
): Promise<void> {
  const has = await ctx.inSpace(async ({ app }) => app[kind] !== null)
  if (has) return
  const picture = await receiveOwnPicture(ctx, Readable.from([file]), kind)
  await ctx.inSpace((inside) => setPicture(inside, kind, { ...picture, id }))
}

/**
 * Sets visibility and default role. Throws `ValidationFailed` for a default role that the app does not have, and
 * `InvalidRoleChange` for a role that the caller may not grant.
 */
export async function updateAppAccess(
  ctx: AppContext,
  access: { visibility: 'open' | 'private'; defaultRole: string },
): Promise<AppRow> {
  await lockSpace(ctx, 'app.manage')
  const opens = access.visibility === 'open' && ctx.app.visibility !== 'open'
  // Opening an app grants its default role to all members of the space.
  if (opens || access.defaultRole !== ctx.app.defaultRole)
    await requireGivable(ctx, 'app', access.defaultRole, 'accessSettings.defaultRole')
  const app = await apps.updateAppAccess(ctx.db, ctx.scope, access, ctx.grants.appRole)
  noteAudit(ctx, { before: ctx.app, after: app })
  await record(ctx, 'app.updated', app)
  return app
}

/** Invalidates the cached models and responses for delivery of the app's space, in all processes. */
export async function emptyCache(ctx: AppContext): Promise<void> {
  await apps.renewVersion(ctx.db, ctx.scope)
}

/** Deletes the app. Afterwards it can no longer be read or written, and its uid is free. */
export async function deleteApp(ctx: AppContext): Promise<void> {
  await apps.deleteApp(ctx.db, ctx.scope)
  noteAudit(ctx, { objectId: ctx.app.uid, objectName: ctx.app.name })
  await record(ctx, 'app.deleted', ctx.app)
}

async function record(
  ctx: AppContext,
  type: Extract<EventType, `app.${string}`>,
  { id, uid }: { id: number; uid: string },
): Promise<void> {
  await recordEvent(ctx.db, ctx.scope, type, { uid }, { appId: id, actor: ctx.actor })
  await notify(ctx.db, { kind: 'registry', spaceId: ctx.scope.spaceId })
}
