import type { Db } from '#server/db/scope.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import type { AccountActor } from '../actor.ts'
import type { CallOrigin } from '../call-origin.ts'
import type { Admission, Caller, Entry } from '../caller.ts'
import { markSeen } from '../membership.ts'
import { admitAs } from '../preview.ts'
import { rememberedMembership } from '../remembered-membership.ts'
import { checkSecurity, type Entrant } from '../security.ts'

interface SignedIn {
  actor: AccountActor
  origin: CallOrigin
  session: Entrant['session']
  /** `_id` of the member whose rights to preview. The caller needs `member.manage`. */
  viewAs?: string | undefined
}

/**
 * Returns the caller for a signed-in user, in a browser or through a program with the user's key. Membership, the
 * security requirements of the space and the rights are checked in each transaction.
 */
export const sessionCaller = (signedIn: SignedIn): Caller<AccountActor> => ({
  kind: 'session',
  actor: signedIn.actor,
  origin: signedIn.origin,
  readOnly: signedIn.viewAs !== undefined,
  withoutRight: 'Forbidden',
  admit: (entry) => admitSession(signedIn, entry),
  admitOutside: (endpoint) => admitAccount(signedIn, endpoint),
})

async function admitSession(
  { actor, origin, session, viewAs }: SignedIn,
  { tx, services, place, unguarded, found }: Entry,
): Promise<Admission> {
  const { accountId } = actor
  const { security, seen, ...membership } =
    viewAs === undefined
      ? await rememberedMembership(tx, accountId, place)
      : await admitAs(tx, accountId, place, viewAs)
  found(membership.scope)
  const { spaceId } = membership.scope
  const entrant = { ip: origin.ip, session, unguarded }
  const member = { accountId, spaceId, grants: membership.grants }
  await checkSecurity(tx, member, security, entrant, services.clock())
  return {
    actor,
    membership,
    ...(viewAs === undefined ? { seen: (db: Db) => markSeen(db, { ...membership, seen }) } : {}),
  }
}

function admitAccount({ actor, session }: SignedIn, { permission, bySso }: Endpoint): AccountActor {
  if (permission === 'admin' && !actor.isAdmin) throw new AppError('Forbidden')
  // A session from a space's identity provider is valid only in that space, not for the account's own settings.
  if (!bySso && !session.ownMeans) throw new AppError('UsualSignInRequired')
  return actor
}
