import type { TokenActor } from '#server/access/actor.ts'
import type { CallOrigin } from '#server/access/call-origin.ts'
import type { Admission, Caller, Entry } from '#server/access/caller.ts'
import { allGrants } from '#server/access/grants.ts'
import type { Db } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'
import { enterAsDirectory, markUsed } from './scim-connection.repository.ts'

/** Interval in ms at which the time of the last call is stored. */
const usedEvery = 600_000

/**
 * Returns the caller for the directory of an organization, authenticated by the SCIM token of the space. It has all
 * rights, because only members with all rights can create the token. Its admission throws 401 if the space does not
 * exist or has another token.
 */
export const directoryCaller = (token: string, origin: CallOrigin): Caller => ({
  kind: 'directory',
  actor: null,
  origin,
  withoutRight: 'Forbidden',
  admit: (entry) => admitDirectory(token, entry),
})

async function admitDirectory(token: string, { tx, services, place }: Entry): Promise<Admission> {
  if (!('space' in place)) throw new TypeError('a directory names its space')
  const found = await enterAsDirectory(tx, place.space, sha256(token))
  if (!found) throw new AppError('Unauthorized')
  const { scope, space, id, lastUsedAt } = found
  const actor: TokenActor = { kind: 'token', tokenId: id, name: 'SCIM' }
  const now = services.clock().getTime()
  const isRecent = lastUsedAt !== null && now - lastUsedAt.getTime() < usedEvery
  return {
    actor,
    membership: { scope, space, grants: allGrants },
    ...(isRecent ? {} : { seen: (db: Db) => markUsed(db, scope) }),
  }
}
