import type { SpaceContext } from '#server/access/context.ts'
import { requireCommandOfLinked, requireGivesAll } from '#server/features/group-roles/group-roles.service.ts'
import { isComplete } from './protocols.ts'
import type { ConnectionRow } from './sso.repository.ts'

/*
 * A member who chooses the identity provider that a space trusts determines the identity and the role of every user who
 * signs in through it.
 */

type Trusted = Pick<ConnectionRow, 'kind' | 'saml' | 'oidc' | 'secret' | 'provisions' | 'isComplete'>

/**
 * Requires authority over all users that the identity provider could name: the members linked to it ({@link
 * requireCommandOfLinked}), and every role that the group mappings assign, including the default role.
 */
export async function requireTrusted(ctx: SpaceContext): Promise<void> {
  await requireCommandOfLinked(ctx)
  await requireGivesAll(ctx)
}

/**
 * Returns whether the change affects which claims the space trusts. This is the case for each of these changes:
 * - A protocol becomes complete or incomplete, or settings of a complete protocol change (its identity provider,
 *   certificates, scopes or name of groups). The protocol that is not in use counts too, because another member may put
 *   it into use.
 * - The protocol in use changes while either protocol is complete.
 * - A complete connection starts to create members.
 * - A connection with complete SAML settings starts to accept sign-ins that begin at the identity provider.
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
