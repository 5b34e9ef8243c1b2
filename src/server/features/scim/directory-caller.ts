import type { TokenActor } from '#server/access/actor.ts'
import { sourceOf } from '#server/access/attempts.ts'
import { writeAudit } from '#server/access/audit.ts'
import type { CallOrigin } from '#server/access/call-origin.ts'
import type { Admission, Caller, Entry } from '#server/access/caller.ts'
import { allGrants } from '#server/access/grants.ts'
import type { Place } from '#server/access/membership.ts'
import type { Db } from '#server/db/scope.ts'
import { createMinuteLimit } from '#server/lib/event-limit.ts'
import { sha256 } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'
import { enterAsDirectory, findSpaceWithConnection, markUsed } from './scim-connection.repository.ts'

/** Interval in ms at which the time of the last call is stored. */
const usedEvery = 600_000

/**
 * Returns the caller for the directory of an organization, authenticated by the SCIM token of the space. It has all
 * rights, because only members with all rights can create the token, but enters no apps (403). Its admission throws 401
 * if the space does not exist or has another token.
 */
export const directoryCaller = (token: string, origin: CallOrigin): Caller => ({
  kind: 'directory',
  actor: null,
  origin,
  withoutRight: 'Forbidden',
  admit: (entry) => admitDirectory(token, entry),
  recordRefusal: (db, place, error) => recordUnauthorized(db, place, error, origin),
})

/** Limits audit log entries for rejected requests to 30 per minute and network address in each process. */
const told = createMinuteLimit(30)

/** Records an invalid token in the audit log of a space with a connection, up to the limit {@link told}. */
async function recordUnauthorized(
  db: Db,
  place: Place,
  error: unknown,
  { ip, agent }: CallOrigin,
): Promise<void> {
  if (!(error instanceof AppError) || error.code !== 'Unauthorized') return
  if (!('space' in place) || !told.allows(sourceOf(ip))) return
  const scope = await findSpaceWithConnection(db, place.space)
  if (!scope) return
  await writeAudit(db, scope, {
    act: 'scim.request',
    outcome: 'Unauthorized',
    actor: null,
    ip,
    agent,
    object: { kind: 'scim', id: null, name: 'SCIM' },
    details: {},
  })
}

async function admitDirectory(token: string, { tx, services, place }: Entry): Promise<Admission> {
  if (!('space' in place)) throw new TypeError('a directory names its space')
  const found = await enterAsDirectory(tx, place.space, sha256(token))
  if (!found) throw new AppError('Unauthorized')
  if (place.app !== undefined) throw new AppError('Forbidden')
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
