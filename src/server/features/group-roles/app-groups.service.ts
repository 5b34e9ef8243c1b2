import { type AuditEntry, writeAudits } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { intoAppNamed } from '#server/access/membership.ts'
import {
  type AppRoleChange,
  changeAppRolesByDirectory,
  forgetLeftRolesByDirectory,
  type MemberOfAccount,
} from '#server/features/members/members.service.ts'
import { requireGivable } from '#server/features/roles/roles.service.ts'
import type { GroupRoles } from '#shared/contract/group-roles.ts'
import { AppError, invalid } from '#shared/errors.ts'
import * as rows from './app-groups.repository.ts'
import { changedRules } from './changed-rules.ts'
import { findAppRolesOfLinked } from './directory.repository.ts'
import { type DirectoryContext, nameOf } from './directory.ts'

export type { AppGroupRow } from './app-groups.repository.ts'

type Line = GroupRoles['appGroups'][number]
const present = ({ app, name, role }: rows.AppGroupRow): Line => ({ app, name, roleId: role })

async function visibleLines(ctx: SpaceContext): Promise<{ apps: Set<number>; lines: rows.AppGroupRow[] }> {
  const apps = await rows.findVisibleApps(ctx.db, ctx.scope, ctx.grants)
  const lines = await rows.findAppGroups(ctx.db, ctx.scope)
  return { apps, lines: lines.filter(({ appId }) => apps.has(appId)) }
}

export async function getAppGroups(ctx: SpaceContext): Promise<Line[]> {
  return (await visibleLines(ctx)).lines.map(present)
}

/**
 * Replaces the mappings of apps visible to the caller. The space must be locked. For each mapping that begins or ceases
 * to apply, the caller must have `app.manage` in the app and be allowed to assign the role. If a mapping begins to
 * apply, the caller must also be allowed to assign the roles that members linked to SSO have in the app. Throws
 * `ValidationFailed`, `Forbidden`, `InvalidRoleChange`.
 */
export async function updateAppGroups(ctx: SpaceContext, input: Line[]): Promise<Line[]> {
  const { apps, lines: before } = await visibleLines(ctx)
  const known = new Map(before.map((line) => [line.app, line.appId]))
  const lines = input.map(({ app, name, roleId }, index) => ({
    app,
    name: nameOf(name),
    role: roleId,
    at: `data.appGroups.${index}`,
  }))
  for (const [index, { app, name, at }] of lines.entries())
    if (lines.findIndex((line) => line.app === app && line.name === name) < index)
      throw invalid(`${at}.name`, 'DuplicatedValue')
  for (const app of new Set([...before, ...lines].map((line) => line.app))) {
    const ofApp = <Line extends { app: string }>(all: readonly Line[]) =>
      all.filter((line) => line.app === app)
    const { given, taken } = changedRules(ofApp(before), ofApp(lines))
    for (const { role, at } of given) known.set(app, await requireGiver(ctx, app, role, at))
    await requireGivesInApps(ctx, taken)
    const linked = given.length > 0 ? await findAppRolesOfLinked(ctx.db, ctx.scope) : []
    await requireGivesInApps(ctx, ofApp(linked))
  }
  const wanted = lines.map(({ app, name, role, at }) => {
    const appId = known.get(app)
    if (appId === undefined) throw invalid(`${at}.app`, 'InvalidValue')
    return { appId, app, name, role }
  })
  await rows.saveAppGroups(ctx.db, ctx.scope, apps, wanted)
  return getAppGroups(ctx)
}

/**
 * Returns the app's id. Throws `ValidationFailed` if the caller cannot see the app or the role does not exist,
 * `Forbidden` without `app.manage`, and `InvalidRoleChange` if the caller may not assign the role.
 */
async function requireGiver(ctx: SpaceContext, uid: string, role: string, at: string): Promise<number> {
  const inApp = await intoAppNamed(ctx, uid, 'app.manage', `${at}.app`)
  await requireGivable(inApp, 'app', role, `${at}.roleId`)
  return inApp.app.id
}

/**
 * Throws `InvalidRoleChange` unless the caller may assign these roles in these apps. This includes apps that the caller
 * cannot see, where the caller may assign none.
 */
export async function requireGivesInApps(
  ctx: SpaceContext,
  given: readonly { app: string; role: string }[],
): Promise<void> {
  const asked = new Set<string>()
  for (const { app, role } of given) {
    const key = `${app} ${role}`
    if (asked.has(key)) continue
    asked.add(key)
    await requireGiver(ctx, app, role, '').catch((error: unknown) => {
      throw error instanceof AppError ? new AppError('InvalidRoleChange', { cause: error }) : error
    })
  }
}

/** Returns the first matching mapping of each app for these groups. */
const matching = (lines: rows.AppGroupRow[], groups: readonly string[]) => {
  const names = new Set(groups.map(nameOf))
  const found = new Map<number, rows.AppGroupRow>()
  for (const line of lines) if (names.has(line.name) && !found.has(line.appId)) found.set(line.appId, line)
  return found
}

/** Checks whether the changed mappings assign users in these groups another role in an app than before. */
export function givesOtherwise(
  was: rows.AppGroupRow[],
  lines: rows.AppGroupRow[],
  groups: readonly string[],
): boolean {
  const [before, now] = [matching(was, groups), matching(lines, groups)]
  return [...before.keys(), ...now.keys()].some((appId) => before.get(appId)?.role !== now.get(appId)?.role)
}

/**
 * A member with their current groups in the directory or at the identity provider. `before`: the former groups; empty
 * if unknown.
 */
export interface GroupedMember extends MemberOfAccount {
  groups: readonly string[]
  before: readonly string[]
}

/** Checks whether any mapping names a current or former group of these members. */
export const concernsAny = (
  lines: readonly rows.AppGroupRow[],
  people: readonly Pick<GroupedMember, 'groups' | 'before'>[],
): boolean => {
  const names = new Set(lines.map(({ name }) => name))
  return people.some(({ groups, before }) => [...groups, ...before].some((name) => names.has(nameOf(name))))
}

/**
 * Assigns members the app roles of their groups. Members who have the role of a former group leave the app if no
 * current group has a role there. For members who already left it, the stored role is deleted. Writes an event and an
 * audit log entry by `ctx.actor` per change. The number of statements is independent of the number of members. Returns
 * the changes. `was`: the former mappings, if they changed. The space must be locked.
 */
export async function applyAppGroups(
  ctx: DirectoryContext,
  lines: rows.AppGroupRow[],
  people: readonly GroupedMember[],
  was = lines,
): Promise<(AppRoleChange & { app: string })[]> {
  if (!concernsAny([...lines, ...was], people)) return []
  const roles = await rows.findAppRoles(
    ctx.db,
    ctx.scope,
    people.map(({ id }) => id),
  )
  const apps = new Map([...was, ...lines].map(({ appId, app }) => [appId, { id: appId, uid: app }]))
  const names = new Map(people.map(({ id, name }) => [id, name]))
  const plans = people.map((person) => planFor(person, lines, was, roles.get(person.id) ?? new Map()))
  const made: (AppRoleChange & { app: string })[] = []
  for (const [appId, app] of apps) {
    const changes = plans.flatMap((plan) => plan.changes.get(appId) ?? [])
    const left = plans.filter((plan) => plan.left.includes(appId)).map(({ memberId }) => memberId)
    if (left.length > 0) await forgetLeftRolesByDirectory(ctx, appId, left)
    if (changes.length === 0) continue
    await changeAppRolesByDirectory(ctx, app, changes)
    const entries = changes.map((change) => entryOf(ctx, app.uid, names.get(change.memberId) ?? '', change))
    await writeAudits(ctx.db, ctx.scope, entries)
    made.push(...changes.map((change) => ({ ...change, app: app.uid })))
  }
  return made
}

/**
 * Returns the changes for one member by app. `left`: the apps that the member is not in, and where a former group has a
 * role but no current group does.
 */
function planFor(
  { id: memberId, groups, before }: GroupedMember,
  lines: rows.AppGroupRow[],
  was: rows.AppGroupRow[],
  roles: ReadonlyMap<number, string>,
): { memberId: string; changes: Map<number, AppRoleChange>; left: number[] } {
  const now = matching(lines, groups)
  const formerly = matching(was, before)
  const changes = new Map<number, AppRoleChange>()
  const left: number[] = []
  for (const [appId, { role }] of now) {
    // Changed mappings affect only the members that get another role.
    if (was !== lines && formerly.get(appId)?.role === role) continue
    const had = roles.get(appId) ?? null
    if (had !== role) changes.set(appId, { memberId, before: had, after: role })
  }
  for (const [appId, { role }] of formerly) {
    if (now.has(appId)) continue
    const had = roles.get(appId)
    if (had === undefined) left.push(appId)
    else if (had === role) changes.set(appId, { memberId, before: role, after: null })
  }
  return { memberId, changes, left }
}

function entryOf(
  { actor, ip = null, agent = null }: DirectoryContext,
  app: string,
  name: string,
  { memberId, before, after }: AppRoleChange,
): AuditEntry {
  const act =
    before === null ? 'member.addToApp' : after === null ? 'member.removeFromApp' : 'member.updateInApp'
  const roles = { ...(before === null ? {} : { before }), ...(after === null ? {} : { after }) }
  return {
    act,
    outcome: 'done',
    actor,
    ip,
    agent,
    object: { kind: 'member', id: memberId, name },
    details: { app, changes: [{ key: 'roleId', ...roles }] },
  }
}

/** Returns the roles of these groups in apps, by app id. */
export async function appRolesOfGroups(
  { db, scope }: Pick<DirectoryContext, 'db' | 'scope'>,
  groups: readonly string[],
): Promise<Map<number, string>> {
  const found = matching(await rows.findAppGroups(db, scope), groups)
  return new Map([...found].map(([appId, { role }]) => [appId, role]))
}

/** Returns the mappings of all apps, visible to the caller or not. */
export function linesOfApps({
  db,
  scope,
}: Pick<DirectoryContext, 'db' | 'scope'>): Promise<rows.AppGroupRow[]> {
  return rows.findAppGroups(db, scope)
}

/** Returns the groups named in mappings of apps. */
export async function groupsOfApps({ db, scope }: Pick<DirectoryContext, 'db' | 'scope'>): Promise<string[]> {
  return (await linesOfApps({ db, scope })).map(({ name }) => name)
}
