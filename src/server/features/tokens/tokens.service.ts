import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { appsWith } from '#server/access/membership.ts'
import { findLiveApps, listApps } from '#server/features/apps/apps.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId, sha256 } from '#server/lib/ids.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { can, writingTokenRights } from '#shared/permissions.ts'
import { newTokenValue } from './token-value.ts'
import type { TokenKind, TokenRow } from './tokens.repository.ts'
import * as tokens from './tokens.repository.ts'

export { newTokenValue } from './token-value.ts'

/** A token with the uids of its apps, without deleted apps and apps that the caller may not see. */
export type TokenView = Omit<TokenRow, 'appIds'> & { apps: string[] | null }

interface TokenInput {
  name?: string | undefined
  /** uids of apps; null: every app. */
  apps?: string[] | null | undefined
  /** Whether the token may also write; only an API token may. */
  writes?: boolean | undefined
  /** ISO 8601; null: does not expire. */
  expiresAt?: string | null | undefined
}

export async function listTokens(ctx: SpaceContext, kind: TokenKind): Promise<TokenView[]> {
  const names = await appNames(ctx)
  return (await tokens.listTokens(ctx.db, ctx.scope, kind)).map((token) => view(token, names))
}

/**
 * Creates a token. Its value is only in this response, because only the hash is stored. Throws 403 for apps in which
 * the caller lacks the rights of the token, and 400 for apps that do not exist or are hidden from the caller.
 */
export async function createToken(
  ctx: SpaceContext,
  kind: TokenKind,
  { name, apps, writes = false, expiresAt }: TokenInput & { name: string },
): Promise<TokenView & { value: string }> {
  const names = await appNames(ctx)
  const appIds = apps == null ? null : idsOf(apps, names)
  await requireRights(ctx, appIds, writes)
  const value = newTokenValue(kind)
  const token = await tokens.insertToken(ctx.db, ctx.scope, {
    id: newId(),
    kind,
    name,
    valueHash: sha256(value),
    last4: value.slice(-4),
    appIds,
    writes,
    expiresAt: readEnd(expiresAt ?? null),
    createdBy: accountOf(ctx.actor),
  })
  await record(ctx, 'token.created', kind, token.id)
  return { ...view(token, names), value }
}

/**
 * Updates a token. Omitted properties stay, as do apps that the caller may not see. Throws 400, 404. Throws 403 for an
 * additional app in which the caller lacks the rights of the token. A later expiry requires these rights in all apps of
 * the token. A token that only reads cannot be changed to one that writes (400), because members who may not write may
 * know its value.
 */
export async function updateToken(
  ctx: SpaceContext,
  kind: TokenKind,
  id: string,
  { name, apps, writes, expiresAt }: TokenInput,
): Promise<TokenView> {
  const names = await appNames(ctx)
  const before = await requireToken(ctx, kind, id)
  noteAudit(ctx, { before: view(before, names) })
  const chosen = apps && idsOf(apps, names)
  const unseen = before.appIds?.filter((app) => !names.has(app)) ?? []
  const appIds = chosen === undefined ? before.appIds : chosen && [...chosen, ...unseen]
  const end = expiresAt === undefined ? before.expiresAt : readEnd(expiresAt)
  if (writes && !before.writes) throw invalid('data.writes', 'InvalidValue')
  const willWrite = writes ?? before.writes
  const isWider = chosen === null || chosen?.some((app) => !before.appIds?.includes(app))
  if (chosen !== undefined && before.appIds !== null && isWider)
    await requireRights(ctx, chosen, willWrite, before.appIds)
  if (isLater(end, before.expiresAt) && (await findLacking(ctx, appIds, willWrite)).length > 0)
    throw notAllowed('data.expiresAt')
  const token = await change(ctx, kind, id, {
    ...(name === undefined ? {} : { name }),
    ...(chosen === undefined ? {} : { appIds }),
    ...(writes === undefined ? {} : { writes }),
    ...(expiresAt === undefined ? {} : { expiresAt: end }),
  })
  await record(ctx, 'token.updated', kind, id)
  return view(token, names)
}

/**
 * Replaces the value under the same `_id`. The old value becomes invalid. If two calls run concurrently, the later one
 * wins. Throws 404, and 403 for callers who lack the rights of the token in one of its apps.
 */
export async function refreshToken(
  ctx: SpaceContext,
  kind: TokenKind,
  id: string,
): Promise<TokenView & { value: string }> {
  const { appIds, writes } = await requireToken(ctx, kind, id)
  if ((await findLacking(ctx, appIds, writes)).length > 0) throw notAllowed('apps')
  const value = newTokenValue(kind)
  const changed = { hash: sha256(value), last4: value.slice(-4), createdBy: accountOf(ctx.actor) }
  const token = await change(ctx, kind, id, { value: changed })
  await record(ctx, 'token.refreshed', kind, id)
  return { ...view(token, await appNames(ctx)), value }
}

export async function deleteToken(ctx: SpaceContext, kind: TokenKind, id: string): Promise<void> {
  const { name } = await requireToken(ctx, kind, id)
  noteAudit(ctx, { objectName: name })
  await tokens.deleteToken(ctx.db, ctx.scope, kind, id)
  await record(ctx, 'token.deleted', kind, id)
}

async function requireToken(ctx: SpaceContext, kind: TokenKind, id: string): Promise<TokenRow> {
  const token = idPattern.test(id) ? await tokens.lockToken(ctx.db, ctx.scope, kind, id) : null
  if (!token) throw new AppError('NotFound')
  return token
}

/** Parses the expiry of a token. Throws 400 for a time in the past. */
function readEnd(given: string | null): Date | null {
  if (given === null) return null
  const end = new Date(given)
  if (end.getTime() <= Date.now()) throw invalid('data.expiresAt', 'InvalidValue')
  return end
}

/** Checks whether `end` is later than `before`. null: no expiry. */
const isLater = (end: Date | null, before: Date | null): boolean =>
  before !== null && (end === null || end.getTime() > before.getTime())

async function change(
  ctx: SpaceContext,
  kind: TokenKind,
  id: string,
  changes: Parameters<typeof tokens.updateToken>[4],
): Promise<TokenRow> {
  const token = idPattern.test(id) ? await tokens.updateToken(ctx.db, ctx.scope, kind, id, changes) : null
  if (!token) throw new AppError('NotFound')
  return token
}

/**
 * Returns the token's apps in which the caller lacks the rights of the token. `all`: the token is valid for every app
 * or uploads files, and the caller may not.
 */
async function findLacking(
  ctx: SpaceContext,
  appIds: readonly number[] | null,
  writes: boolean,
): Promise<readonly number[] | 'all'> {
  if (writes && !mayUpload(ctx)) return 'all'
  const allowed = await appsWith(ctx, writes ? 'document.write.any' : 'document.read')
  if (allowed === null) return []
  if (appIds === null) return 'all'
  const there = await findLiveApps(ctx.db, ctx.scope, appIds)
  return there.filter((id) => !allowed.includes(id))
}

const mayUpload = ({ grants }: SpaceContext) => writingTokenRights.space.every((right) => can(grants, right))

/**
 * Checks that the caller has the rights of the token in its apps, because its value grants them. Throws 403 with the
 * apps in which the caller lacks them, except apps in `known`.
 */
async function requireRights(
  ctx: SpaceContext,
  appIds: readonly number[] | null,
  writes: boolean,
  known: readonly number[] = [],
): Promise<void> {
  if (writes && !mayUpload(ctx)) throw notAllowed('data.writes')
  const found = await findLacking(ctx, appIds, writes)
  if (found === 'all') throw notAllowed('data.apps')
  const tooMuch = found.filter((id) => !known.includes(id))
  if (tooMuch.length === 0) return
  const paths = (appIds ?? []).flatMap((id, index) => (tooMuch.includes(id) ? [`data.apps.${index}`] : []))
  throw notAllowed(...paths)
}

const notAllowed = (...paths: string[]) =>
  new AppError('Forbidden', { issues: paths.map((path) => ({ path, code: 'NotAllowed' })) })

/** Returns the apps that the caller may see: uids by id. */
async function appNames(ctx: SpaceContext): Promise<Map<number, string>> {
  return new Map((await listApps(ctx)).map((app) => [app.id, app.uid]))
}

function idsOf(uids: string[], names: Map<number, string>): number[] {
  const byUid = new Map([...names].map(([id, uid]) => [uid, id]))
  const ids = uids.map((uid, index) => {
    const id = byUid.get(uid)
    if (id === undefined) throw invalid(`data.apps.${index}`, 'InvalidValue')
    return id
  })
  return [...new Set(ids)]
}

function view({ appIds, ...token }: TokenRow, names: Map<number, string>): TokenView {
  return { ...token, apps: appIds === null ? null : appIds.flatMap((id) => names.get(id) ?? []) }
}

async function record(
  ctx: SpaceContext,
  type: 'token.created' | 'token.updated' | 'token.refreshed' | 'token.deleted',
  kind: TokenKind,
  tokenId: string,
): Promise<void> {
  await recordEvent(ctx.db, ctx.scope, type, { tokenId, kind }, { actor: ctx.actor })
}
