import type { SpaceContext } from '#server/access/context.ts'
import { requireGivesAll, requireGivesInApps } from '#server/features/group-roles/group-roles.service.ts'
import { requireCommand } from '#server/features/roles/roles.service.ts'
import { appRolesOfLinked, type ConnectionRow, rolesOfLinked } from './sso.repository.ts'

/* Whoever decides whom a space believes decides who everybody is there, and who has which role. */

type Trusted = Pick<ConnectionRow, 'kind' | 'saml' | 'oidc' | 'groupsName' | 'provisions' | 'isComplete'>

/** Throws `InvalidRoleChange` unless the caller commands all who sign in by SSO, in the space and in its apps. */
export async function requireCommandOfLinked(ctx: SpaceContext): Promise<void> {
  for (const role of await rolesOfLinked(ctx.db, ctx.scope)) await requireCommand(ctx, 'project', role)
  await requireGivesInApps(ctx, await appRolesOfLinked(ctx.db, ctx.scope))
}

/** The same for all whom it could name: who is linked, and whoever has a role by their groups, or by being in none. */
export async function requireTrusted(ctx: SpaceContext): Promise<void> {
  await requireCommandOfLinked(ctx)
  await requireGivesAll(ctx)
}

/**
 * Would others be believed, or in other words, than before? Nobody is while something is missing. To let more people in is such a
 * change, to let in fewer is none.
 */
export function saysOtherThan(before: Trusted | null, after: Trusted): boolean {
  if (sourceOf(before) !== sourceOf(after)) return true
  return after.isComplete && after.provisions && before?.provisions === false
}

function sourceOf(row: Trusted | null): string | null {
  if (!row?.isComplete) return null
  const { kind, saml, oidc, groupsName } = row
  const idp = kind === 'saml' ? [saml.entityId, saml.signInUrl, saml.certificates] : [oidc]
  return JSON.stringify([kind, groupsName, ...idp])
}
