import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError, invalid } from '#shared/errors.ts'
import {
  allRights,
  appRights,
  type DocumentRight,
  isDocumentRight,
  isRight,
  leastAppRole,
  type Right,
} from '#shared/permissions.ts'
import { checkRole, commands, heldFor, refusal } from './role-checks.ts'
import * as roles from './roles.repository.ts'

export { commands } from './role-checks.ts'

/** A role with the rights that this version knows. */
export type Role = Omit<roles.RoleRow, 'rights' | 'models'> & {
  rights: Right[]
  models: Record<string, { rights?: DocumentRight[]; readOnly?: string[] }>
}
export type RoleWithUse = Role & roles.RoleUse
type Target = Role['target']
type Input = { [Key in keyof roles.RoleValues]?: roles.RoleValues[Key] | undefined } & {
  uid?: string | undefined
  version?: number | undefined
}

/** A space or an app has no more roles of its own than this. */
const maximumRoles = 200

const ofTarget = (ctx: Pick<SpaceContext, 'db' | 'scope'> | AppContext, target: Target): roles.RolesOf => ({
  target,
  appId: target === 'app' && 'app' in ctx ? ctx.app.id : null,
})

const known = (row: roles.RoleRow): Role => ({
  ...row,
  rights: row.rights.filter(isRight),
  models: Object.fromEntries(
    Object.entries(row.models).map(([id, { rights, ...model }]) => [
      id,
      { ...model, ...(rights ? { rights: rights.filter(isDocumentRight) } : {}) },
    ]),
  ),
})

/** The roles that members of the space, or of the app, can be given, with how much they are used. */
export async function listRoles(ctx: SpaceContext | AppContext, target: Target): Promise<RoleWithUse[]> {
  const of = ofTarget(ctx, target)
  const rows = await roles.listRoles(ctx.db, ctx.scope, of)
  const uses = await roles.countUses(ctx.db, ctx.scope, of)
  return rows.map((row) => ({ ...known(row), ...(uses.get(row.uid) ?? { members: 0, isDefault: false }) }))
}

/** The role of that uid. Throws `ValidationFailed` at `path` when there is none. */
export async function requireRole(
  ctx: SpaceContext | AppContext,
  target: Target,
  uid: string,
  path: string,
): Promise<Role> {
  const row = await roles.findRole(ctx.db, ctx.scope, ofTarget(ctx, target), uid)
  if (!row) throw invalid(path, 'InvalidValue')
  return known(row)
}

/** What the role of that uid gives; nothing if there is none. */
export async function rightsOfRole(
  ctx: Pick<SpaceContext, 'db' | 'scope'> | AppContext,
  target: Target,
  uid: string,
): Promise<ReadonlySet<Right>> {
  const row = await roles.findRole(ctx.db, ctx.scope, ofTarget(ctx, target), uid)
  return new Set(row ? known(row).rights : [])
}

/** The role to be given to somebody; the space is locked. Throws `ValidationFailed` at `path`, `InvalidRoleChange`. */
export async function requireGivable(
  ctx: SpaceContext | AppContext,
  target: Target,
  uid: string,
  path: string,
): Promise<Role> {
  const role = await requireRole(ctx, target, uid, path)
  if (!commands(await heldFor(ctx, target), role)) throw refusal('InvalidRoleChange', path)
  return role
}

/** Throws `InvalidRoleChange` when whoever holds the role of that uid may do more than the caller. */
export async function requireCommand(
  ctx: SpaceContext | AppContext,
  target: Target,
  uid: string,
): Promise<void> {
  const row = await roles.findRole(ctx.db, ctx.scope, ofTarget(ctx, target), uid)
  // A role that is gone gives nothing.
  if (row && !commands(await heldFor(ctx, target), row)) throw new AppError('InvalidRoleChange')
}

/**
 * Somebody beside this member must be able to do everything, or the space would be nobody's. Right only while the space
 * is locked. Throws `OtherAdminMembersNotExist`.
 */
export async function requireAdmin(
  ctx: Pick<SpaceContext, 'db' | 'scope'>,
  beside: string | null,
): Promise<void> {
  if (!(await hasAdmin(ctx, beside))) throw new AppError('OtherAdminMembersNotExist')
}

/** The same as a question. */
export function hasAdmin(
  { db, scope }: Pick<SpaceContext, 'db' | 'scope'>,
  beside: string | null,
): Promise<boolean> {
  return roles.hasAdmin(db, scope, beside, allRights)
}

const guard = (target: Target) => (target === 'project' ? 'role.manage' : 'app.manage')

/** Makes a role. Throws `InvalidRoleCreation` naming every culprit, `ValidationFailed` (too many). */
export async function createRole(
  ctx: SpaceContext | AppContext,
  target: Target,
  input: Input & Pick<roles.RoleValues, 'name' | 'rights'>,
): Promise<RoleWithUse> {
  await lockSpace(ctx, guard(target))
  const of = ofTarget(ctx, target)
  const uid = input.uid ?? `role-${newId()}`
  const values = { description: '', models: {}, ...withoutUndefined(input), uid }
  const others = await roles.listRoles(ctx.db, ctx.scope, of)
  if (others.filter(({ builtIn }) => !builtIn).length >= maximumRoles)
    throw invalid('data', 'TooManyItems', { maximum: maximumRoles })
  const held = await heldFor(ctx, target)
  await checkRole(ctx, { ...of, held }, values, others, 'InvalidRoleCreation')
  await roles.insertRole(ctx.db, ctx.scope, of, { ...values, rights: inOrder(values.rights) })
  await record(ctx, of, 'role.created', uid)
  return requireWithUse(ctx, target, uid)
}

/**
 * Changes a role; what is left out stays. Throws `InvalidRoleUpdate`, `ChangingOwnRole` (its rights), `VersionConflict`,
 * `OtherAdminMembersNotExist`, `Forbidden` (built in), 404.
 */
export async function updateRole(
  ctx: SpaceContext | AppContext,
  target: Target,
  uid: string,
  input: Input,
): Promise<RoleWithUse> {
  await lockSpace(ctx, guard(target))
  const of = ofTarget(ctx, target)
  const before = await requireOwned(ctx, of, uid)
  if (input.version !== undefined && input.version !== before.version)
    throw new AppError('VersionConflict', { details: { current: before.version } })
  const changesRights = input.rights !== undefined || input.models !== undefined
  const held = await heldFor(ctx, target)
  const own = target === 'project' ? held.projectRole : held.appRole
  if (changesRights && own === uid) throw new AppError('ChangingOwnRole')
  if (changesRights && !commands(held, before)) throw refusal('InvalidRoleUpdate', 'data.rights')
  const values = { ...before, models: await stillThere(ctx, of, before), ...withoutUndefined(input), uid }
  const others = (await roles.listRoles(ctx.db, ctx.scope, of)).filter((role) => role.uid !== uid)
  await checkRole(ctx, { ...of, held }, values, others, 'InvalidRoleUpdate')
  await roles.updateRole(ctx.db, ctx.scope, of, { ...values, rights: inOrder(values.rights) })
  if (target === 'project' && changesRights) await requireAdmin(ctx, null)
  await record(ctx, of, 'role.updated', uid)
  return requireWithUse(ctx, target, uid)
}

/** Throws `RoleIsStillInUse` (with how it is used), `InvalidRoleUpdate`, `Forbidden` (built in), 404. */
export async function deleteRole(ctx: SpaceContext | AppContext, target: Target, uid: string): Promise<void> {
  await lockSpace(ctx, guard(target))
  const of = ofTarget(ctx, target)
  const role = await requireOwned(ctx, of, uid)
  if (!commands(await heldFor(ctx, target), role)) throw new AppError('InvalidRoleUpdate')
  const use = (await roles.countUses(ctx.db, ctx.scope, of)).get(uid)
  if (use) throw new AppError('RoleIsStillInUse', { details: { ...use } })
  if (of.appId !== null) await roles.replaceLeftRole(ctx.db, ctx.scope, of.appId, uid, leastAppRole)
  await roles.deleteRole(ctx.db, ctx.scope, of, uid)
  await record(ctx, of, 'role.deleted', uid)
}

async function requireOwned(ctx: SpaceContext, of: roles.RolesOf, uid: string): Promise<roles.RoleRow> {
  const role = await roles.findRole(ctx.db, ctx.scope, of, uid)
  if (!role) throw new AppError('NotFound')
  if (role.builtIn) throw new AppError('Forbidden')
  return role
}

async function requireWithUse(ctx: SpaceContext, target: Target, uid: string): Promise<RoleWithUse> {
  const role = (await listRoles(ctx, target)).find((candidate) => candidate.uid === uid)
  if (!role) throw new AppError('NotFound')
  return role
}

/** What it says of models and fields that have not been deleted since. */
async function stillThere(
  ctx: SpaceContext,
  { appId }: roles.RolesOf,
  { models }: roles.RoleRow,
): Promise<roles.RoleRow['models']> {
  if (appId === null || Object.keys(models).length === 0) return models
  const fields = await roles.findFields(ctx.db, ctx.scope, appId)
  const kept = Object.entries(models).flatMap(([id, { rights, readOnly }]) => {
    const inside = fields.get(id)
    const left = readOnly?.filter((field) => inside?.has(field))
    return inside
      ? [[id, { ...(rights ? { rights } : {}), ...(left ? { readOnly: left } : {}) }] as const]
      : []
  })
  return Object.fromEntries(kept)
}

/** Every right once, in the order in which they are declared. */
const inOrder = (rights: readonly string[]) => {
  const held = new Set(rights)
  return [...new Set([...allRights, ...appRights])].filter((right) => held.has(right))
}

function withoutUndefined<T extends object>(input: T) {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], undefined>
  }
}

async function record(
  ctx: SpaceContext,
  { target, appId }: roles.RolesOf,
  type: 'role.created' | 'role.updated' | 'role.deleted',
  uid: string,
): Promise<void> {
  const subject = { ...(appId === null ? {} : { appId }), actor: ctx.actor }
  await recordEvent(ctx.db, ctx.scope, type, { uid, target }, subject)
}
