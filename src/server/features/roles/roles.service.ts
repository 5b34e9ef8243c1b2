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

/** A stored role without the rights that this version does not support. */
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

/** Maximum number of custom roles of a space or an app. */
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

/** Returns the roles that members of the space, or of the app, can have, with their use. */
export async function listRoles(ctx: SpaceContext | AppContext, target: Target): Promise<RoleWithUse[]> {
  const of = ofTarget(ctx, target)
  const rows = await roles.listRoles(ctx.db, ctx.scope, of)
  const uses = await roles.countUses(ctx.db, ctx.scope, of)
  return rows.map((row) => ({ ...known(row), ...(uses.get(row.uid) ?? { members: 0, isDefault: false }) }))
}

/** Returns the role with that uid. Throws `ValidationFailed` at `path` if it does not exist. */
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

/** Returns the rights of the role with that uid. Empty if the role does not exist. */
export async function rightsOfRole(
  ctx: Pick<SpaceContext, 'db' | 'scope'> | AppContext,
  target: Target,
  uid: string,
): Promise<ReadonlySet<Right>> {
  const row = await roles.findRole(ctx.db, ctx.scope, ofTarget(ctx, target), uid)
  return new Set(row ? known(row).rights : [])
}

/**
 * Returns the role with that uid, if the caller may assign it. The space must be locked. Throws `ValidationFailed` at
 * `path` if it does not exist, `InvalidRoleChange`.
 */
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

/**
 * Throws `InvalidRoleChange` if the caller may not assign, change and remove the role with that uid ({@link commands}).
 * Accepts a deleted role.
 */
export async function requireCommand(
  ctx: SpaceContext | AppContext,
  target: Target,
  uid: string,
): Promise<void> {
  const row = await roles.findRole(ctx.db, ctx.scope, ofTarget(ctx, target), uid)
  // A deleted role grants no rights.
  if (row && !commands(await heldFor(ctx, target), row)) throw new AppError('InvalidRoleChange')
}

/**
 * Throws `OtherAdminMembersNotExist` if no member would have all rights after this change, and `SsoExemptAdminIsNeeded`
 * if the account exempt from required SSO would lose them. Only reliable while the space is locked.
 */
export async function requireAdmin(
  ctx: Pick<SpaceContext, 'db' | 'scope'>,
  change: roles.AdminChange,
): Promise<void> {
  const { hasAdmin, hasExempt } = await roles.findAdmins(ctx.db, ctx.scope, change, allRights)
  if (!hasAdmin) throw new AppError('OtherAdminMembersNotExist')
  if (!hasExempt) throw new AppError('SsoExemptAdminIsNeeded')
}

/**
 * Returns the changes of members' roles that are possible if they are applied in order. Each must assign a different,
 * existing role. At least one admin must remain, and the account exempt from required SSO must stay an admin. The space
 * must be locked.
 */
export async function possibleChanges<
  T extends { id: string; role: string; wanted: string; provisioned: boolean },
>(ctx: Pick<SpaceContext, 'db' | 'scope'>, changes: readonly T[]): Promise<T[]> {
  const others = changes.filter(({ role, wanted }) => role !== wanted)
  if (others.length === 0) return []
  const rights = new Map<string, ReadonlySet<Right>>()
  for (const uid of new Set(others.map(({ wanted }) => wanted)))
    rights.set(uid, await rightsOfRole(ctx, 'project', uid))
  const found = await roles.listAdmins(ctx.db, ctx.scope, allRights)
  const admins = new Set(found.map(({ id }) => id))
  const exempt = found.find(({ isExempt }) => isExempt)?.id
  return others.filter(({ id, wanted, provisioned }) => {
    const given = rights.get(wanted)
    if (!given || given.size === 0) return false
    if (allRights.every((right) => given.has(right))) {
      if (!provisioned) admins.add(id)
      return true
    }
    if (id === exempt || admins.size === (admins.has(id) ? 1 : 0)) return false
    admins.delete(id)
    return true
  })
}

const guard = (target: Target) => (target === 'project' ? 'role.manage' : 'app.manage')

/**
 * Creates a role. Throws `InvalidRoleCreation` with every invalid value, and `ValidationFailed` if {@link maximumRoles}
 * is reached.
 */
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
 * Changes a role; omitted properties stay. Throws 404, `Forbidden` for a built-in role, and `ChangingOwnRole` for a
 * change of the rights of the caller's own role. Throws `InvalidRoleUpdate`, `VersionConflict`,
 * `OtherAdminMembersNotExist`, `SsoExemptAdminIsNeeded`.
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
  if (target === 'project' && changesRights) await requireAdmin(ctx, { role: uid })
  await record(ctx, of, 'role.updated', uid)
  return requireWithUse(ctx, target, uid)
}

/**
 * Deletes a role. Throws 404, `Forbidden` for a built-in role, `RoleIsStillInUse` with the role's use, and
 * `InvalidRoleUpdate` for a role with more rights than the caller.
 */
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

/** Returns the role's entries for models and fields that still exist. */
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

/** Returns the known rights among these without duplicates, in the order of their declaration. */
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
