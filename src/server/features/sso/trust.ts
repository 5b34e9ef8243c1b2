import type { SpaceContext } from '#server/access/context.ts'
import { requireCommandOfLinked, requireGivesAll } from '#server/features/group-roles/group-roles.service.ts'
import { isComplete } from './protocols.ts'
import type { ConnectionRow } from './sso.repository.ts'

/* Whoever decides which identity provider a space trusts decides who everybody is there, and who has which role. */

type Trusted = Pick<ConnectionRow, 'kind' | 'saml' | 'oidc' | 'secret' | 'provisions' | 'isComplete'>

/**
 * Like {@link requireCommandOfLinked}, for everybody the identity provider could name: also members with a role by
 * their groups, or by being in none.
 */
export async function requireTrusted(ctx: SpaceContext): Promise<void> {
  await requireCommandOfLinked(ctx)
  await requireGivesAll(ctx)
}

/**
 * Whether the change makes the space trust other or further claims. Incomplete settings are not trusted; those of the
 * protocol that is not in use count like the others, because somebody else may put it into use. Starting to create
 * members or to accept sign-ins that the identity provider begins is such a change, ending it is not.
 */
export function saysOtherThan(before: Trusted | null, after: Trusted): boolean {
  if (sourceOf(before) !== sourceOf(after)) return true
  if (after.isComplete && after.provisions && before?.provisions === false) return true
  return isComplete(after, 'saml') && after.saml.idpInitiated && before?.saml.idpInitiated === false
}

function sourceOf(row: Trusted | null): string | null {
  if (!row) return null
  const { kind, saml, oidc } = row
  const providers = [
    isComplete(row, 'saml') && [saml.entityId, saml.signInUrl, saml.certificates, saml.groupsName],
    isComplete(row, 'oidc') && [oidc.issuer, oidc.clientId, oidc.scopes, oidc.groupsName],
  ]
  return providers.some(Boolean) ? JSON.stringify([kind, ...providers]) : null
}
