import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { compileOnce, type Placeholders } from '#server/db/compile-once.ts'
import { entering, type Tx } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import { findMembership, keysOf, type Membership, narrow, type Place, spaceBy } from './membership.ts'

/*
 * Memberships change rarely but are needed in every request, so they are cached as long as the version of the space's policy
 * stays the same; triggers change the version with any row that it depends on (docs/decisions/0070). Each request reads the
 * version in its transaction, so revoked access is refused at once in every process.
 */

interface Remembered {
  membership: Membership
  policy: string
}

/** Cached by account, space and app; an entry's size grows with the models that its role treats separately. */
const remembered = new LRUCache<string, Remembered>({
  maxSize: 20_000,
  sizeCalculation: ({ membership }) => 1 + membership.grants.models.size,
})

/** The version of a space's policy; selecting the row enters the space. */
const policyBy = (by: keyof typeof spaceBy) =>
  compileOnce((db, { space }: Placeholders<{ space: string | number }>) =>
    db
      .selectFrom('space')
      .innerJoin('space_policy', 'space_policy.space_id', 'space.id')
      .select(['space.id', 'space_policy.version as policy'])
      .select(entering(sql.ref('space.id')).as('entered'))
      .where(spaceBy[by](space))
      .where('space.deleted_at', 'is', null)
      .compile(),
  )
const findPolicy = { uid: policyBy('uid'), id: policyBy('id') }

/**
 * The cached version of `admit`. It must be the first call in its transaction: after own changes, the cache would be
 * outdated or would be filled with data that may never be committed. Only successful admissions are cached.
 */
export async function rememberedMembership(tx: Tx, accountId: string, place: Place): Promise<Membership> {
  const { by, space, app } = keysOf(place)
  const key = `${accountId} ${by} ${space} ${app ?? ''}`
  const known = remembered.get(key)
  if (known) {
    const [now] = await findPolicy[by](tx, { space })
    if (!now) throw new AppError('NotFound')
    // Another space may have taken over the `uid`.
    if (now.policy === known.policy && now.id === known.membership.scope.spaceId)
      return narrow(tx, known.membership, place)
    remembered.delete(key)
  }
  const found = await findMembership(tx, accountId, place)
  remembered.set(key, { ...found, membership: frozen(found.membership) })
  return narrow(tx, found.membership, place)
}

/** Requests share cached memberships, so they are frozen. */
function frozen(membership: Membership): Membership {
  for (const part of Object.values(membership)) if (part !== membership.seen) Object.freeze(part)
  return membership
}
