import { sql } from 'kysely'
import { compileOnce, type Placeholders } from '#server/db/compile-once.ts'
import { type Db, spaceScope } from '#server/db/scope.ts'
import { sha256 } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'
import type { TokenActor } from '../actor.ts'
import type { CallOrigin } from '../call-origin.ts'
import type { Admission, Caller, Entry } from '../caller.ts'
import { grantsOfToken } from '../grants.ts'
import { findPlace, keysOf, spaceBy } from '../membership.ts'
import { mayComeFrom, rangesNow } from '../security.ts'

const bearer = /^Bearer +(api_[0-9A-Za-z]{49})$/i

/** Interval in ms at which the time of the last use is stored. */
const usedEvery = 60_000

const findTokenBy = (by: keyof typeof spaceBy) =>
  compileOnce((db, { hash, space }: Placeholders<{ hash: Buffer; space: string | number }>) =>
    db
      .selectFrom('token')
      .innerJoin('space', 'space.id', 'token.space_id')
      .leftJoin('space_security', 'space_security.space_id', 'space.id')
      .select(['space.id as spaceId', 'token.id', 'token.name', 'token.app_ids as appIds', 'token.writes'])
      .select(['token.expires_at as expiresAt', 'token.last_used_at as lastUsedAt'])
      .select([
        'token_ip_ranges as ip_ranges',
        'token_ip_ranges_pending_until as ip_ranges_pending_until',
        'token_ip_ranges_before as ip_ranges_before',
      ])
      .where('token.value_hash', '=', hash)
      .where('token.kind', '=', 'api')
      .where(spaceBy[by](space))
      .where('space.deleted_at', 'is', null)
      .compile(),
  )
const findToken = { uid: findTokenBy('uid'), id: findTokenBy('id') }

/**
 * Returns the caller for a program with an API token that may write, from the `Authorization` header. The token has the
 * rights `writingTokenRights` in its space and its apps, in each transaction as long as it exists. Throws 401 for a
 * malformed value. Its admission throws 401 for a value that is not a token of the space, and for an expired token. It
 * throws 403 `TokenIsReadOnly` or `IpAddressNotAllowed`, and 404 for an app that the token does not include.
 */
export function tokenCaller(authorization: string, origin: CallOrigin): Caller {
  const value = bearer.exec(authorization)?.[1]
  if (value === undefined) throw new AppError('Unauthorized')
  const hash = sha256(value)
  return {
    kind: 'token',
    actor: null,
    origin,
    withoutRight: 'Forbidden',
    admit: (entry) => admitToken(hash, origin, entry),
  }
}

async function admitToken(
  hash: Buffer,
  { ip }: CallOrigin,
  { tx, services, place, found }: Entry,
): Promise<Admission> {
  const { by, space } = keysOf(place)
  const [token] = await findToken[by](tx, { hash, space })
  const now = services.clock()
  if (!token || (token.expiresAt !== null && token.expiresAt <= now)) throw new AppError('Unauthorized')
  const { id, name, appIds } = token
  const actor: TokenActor = { kind: 'token', tokenId: id, name }
  found(spaceScope(token.spaceId), actor)
  if (!mayComeFrom(rangesNow(token, now), ip)) throw new AppError('IpAddressNotAllowed')
  if (!token.writes) throw new AppError('TokenIsReadOnly')
  const entered = await findPlace(tx, place)
  const appId = 'app' in entered ? entered.app.id : null
  if (appId !== null && appIds !== null && !appIds.includes(appId)) throw new AppError('NotFound')
  const isRecent = token.lastUsedAt !== null && now.getTime() - token.lastUsedAt.getTime() < usedEvery
  return {
    actor,
    membership: { ...entered, grants: grantsOfToken(appIds, appId) },
    ...(isRecent ? {} : { seen: (db: Db) => markUsed(db, id) }),
  }
}

async function markUsed(db: Db, id: string): Promise<void> {
  const isOld = sql<boolean>`(last_used_at IS NULL OR last_used_at < now() - make_interval(secs => ${usedEvery / 1000}))`
  await db
    .updateTable('token')
    .set({ last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where(isOld)
    .execute()
}
