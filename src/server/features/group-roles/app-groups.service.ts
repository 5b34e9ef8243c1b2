import { accountOf } from '#server/access/actor.ts'
import { writeAudit } from '#server/access/audit.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { admit, holdSpace } from '#server/access/membership.ts'
import { giveAppRoleByDirectory } from '#server/features/members/members.service.ts'
import { requireGivable } from '#server/features/roles/roles.service.ts'
import type { GroupRoles } from '#shared/contract/group-roles.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import * as rows from './app-groups.repository.ts'
import { type DirectoryContext, nameOf } from './directory.ts'

type Line = GroupRoles['appGroups'][number]
const present = ({ app, name, role }: rows.AppGroupRow): Line => ({ app, name, roleId: role })

/** The lines of apps that the caller may know of. */
async function visibleLines(ctx: SpaceContext): Promise<{ apps: Set<number>; lines: rows.AppGroupRow[] }> {
  const apps = await rows.findVisibleApps(ctx.db, ctx.scope, ctx.grants)
  const lines = await rows.findAppGroups(ctx.db, ctx.scope)
  return { apps, lines: lines.filter(({ appId }) => apps.has(appId)) }
}

export async function getAppGroups(ctx: SpaceContext): Promise<Line[]> {
  return (await visibleLines(ctx)).lines.map(present)
}

/**
 * Puts lines in place of those of the apps that the caller may know of; the space is locked. A line that is new or another one is of
 * an app whose members the caller looks after, and gives what they may give there. Throws `ValidationFailed`, `Forbidden`,
 * `InvalidRoleChange`.
 */
export async function updateAppGroups(ctx: SpaceContext, input: Line[]): Promise<Line[]> {
  const { apps, lines: before } = await visibleLines(ctx)
  const known = new Map(before.map((line) => [line.app, line.appId]))
  const wanted: rows.AppGroupRow[] = []
  for (const [index, { app, name: given, roleId: role }] of input.entries()) {
    const at = `data.appGroups.${index}`
    const name = nameOf(given)
    if (wanted.some((line) => line.app === app && line.name === name))
      throw invalid(`${at}.name`, 'DuplicatedValue')
    const kept = before[index]
    const isKept = kept?.app === app && kept.name === name && kept.role === role
    const appId = isKept ? known.get(app) : await requireGiver(ctx, app, role, at)
    if (appId === undefined) throw invalid(`${at}.app`, 'InvalidValue')
    wanted.push({ appId, app, name, role })
  }
  await rows.saveAppGroups(ctx.db, ctx.scope, apps, wanted)
  return getAppGroups(ctx)
}

/** The app's id, where the caller may give that role in it. */
async function requireGiver(ctx: SpaceContext, uid: string, role: string, at: string): Promise<number> {
  const account = accountOf(ctx.actor)
  if (account === null) throw new AppError('Forbidden')
  const admitted = await admit(ctx.db, account, { space: ctx.space.uid, app: uid }).catch(
    (error: unknown) => {
      throw error instanceof AppError && error.code === 'NotFound'
        ? invalid(`${at}.app`, 'InvalidValue')
        : error
    },
  )
  if (!('app' in admitted) || !can(admitted.grants, 'app.manage')) throw new AppError('Forbidden')
  const inApp: AppContext = { ...ctx, ...admitted }
  await requireGivable(inApp, 'app', role, `${at}.roleId`)
  return admitted.app.id
}

/** Throws `InvalidRoleChange` unless the caller may give these roles in these apps, those that they cannot know of included. */
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

/** Of each app the role that comes with these groups. */
const matching = (lines: rows.AppGroupRow[], groups: readonly string[]) => {
  const names = new Set(groups.map(nameOf))
  const found = new Map<number, rows.AppGroupRow>()
  for (const line of lines) if (names.has(line.name) && !found.has(line.appId)) found.set(line.appId, line)
  return found
}

/**
 * Gives an account's membership the roles in apps that come with its groups. `before`: the groups it was in, where the directory
 * tells that; who had what they gave in an app, and is in none any more that gives anything there, leaves it. A change is an event
 * and an entry of the audit log by `ctx.actor`. Nothing happens to who is no member.
 */
export async function applyAppGroups(
  ctx: DirectoryContext,
  accountId: string,
  groups: readonly string[],
  before: readonly string[] = [],
): Promise<void> {
  const lines = await rows.findAppGroups(ctx.db, ctx.scope)
  if (lines.length === 0) return
  await holdSpace(ctx.db, ctx.scope)
  const member = await rows.findAppRoles(ctx.db, ctx.scope, accountId)
  if (!member) return
  const now = matching(lines, groups)
  for (const [appId, { app, role }] of now) {
    const had = member.roles.get(appId) ?? null
    if (had !== role) await change(ctx, member, { appId, app }, had, role)
  }
  for (const [appId, { app, role }] of matching(lines, before))
    if (!now.has(appId) && member.roles.get(appId) === role)
      await change(ctx, member, { appId, app }, role, null)
}

async function change(
  ctx: DirectoryContext,
  { memberId, name }: { memberId: string; name: string },
  app: { appId: number; app: string },
  before: string | null,
  after: string | null,
): Promise<void> {
  await giveAppRoleByDirectory(ctx, { id: app.appId, uid: app.app }, memberId, { before, after })
  const act =
    before === null ? 'member.addToApp' : after === null ? 'member.removeFromApp' : 'member.updateInApp'
  const roles = { ...(before === null ? {} : { before }), ...(after === null ? {} : { after }) }
  await writeAudit(ctx.db, ctx.scope, {
    act,
    outcome: 'done',
    actor: ctx.actor,
    ip: ctx.ip ?? null,
    agent: ctx.agent ?? null,
    object: { kind: 'member', id: memberId, name },
    details: { app: app.app, changes: [{ key: 'roleId', ...roles }] },
  })
}

/** By the ids of the apps. */
export async function appRolesOfGroups(
  { db, scope }: Pick<DirectoryContext, 'db' | 'scope'>,
  groups: readonly string[],
): Promise<Map<number, string>> {
  const found = matching(await rows.findAppGroups(db, scope), groups)
  return new Map([...found].map(([appId, { role }]) => [appId, role]))
}

/** What groups give in apps, whoever may know of these. */
export function linesOfApps({
  db,
  scope,
}: Pick<DirectoryContext, 'db' | 'scope'>): Promise<rows.AppGroupRow[]> {
  return rows.findAppGroups(db, scope)
}

/** The groups that lines of apps name. */
export async function groupsOfApps({ db, scope }: Pick<DirectoryContext, 'db' | 'scope'>): Promise<string[]> {
  return (await linesOfApps({ db, scope })).map(({ name }) => name)
}
