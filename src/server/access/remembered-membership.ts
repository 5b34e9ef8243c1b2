import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { compileOnce, type Placeholders } from '#server/db/compile-once.ts'
import { entering, type Tx } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import { findMembership, keysOf, type Membership, narrow, type Place, spaceBy } from './membership.ts'

/*
 * Memberships are needed in each request of a user in a space, but change rarely. They are therefore cached as long as
 * the version of the space's policy stays the same. Triggers change the version when a row that memberships depend on
 * changes (docs/decisions/0070). The version is read in each transaction that uses the cache, so all processes refuse
 * revoked access from the next request on.
 */

interface Remembered {
  membership: Membership
  policy: string
}

/**
 * Cache by account, space and app. The size of an entry grows with the number of models in which the role has different
 * rights or read-only fields.
 */
const remembered = new LRUCache<string, Remembered>({
  maxSize: 20_000,
  sizeCalculation: ({ membership }) => 1 + membership.grants.models.size,
})

/** Selects the version of a space's policy and enters the space. */
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
 * Admits an account like `admit`, from the cache if possible. Call it before the transaction changes rows that
 * memberships depend on: the cache would be outdated, or would be filled with data that may never be committed. Failed
 * admissions are not cached.
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

/** Freezes the objects in a cached membership, because requests share it. `seen` stays writable. */
function frozen(membership: Membership): Membership {
  for (const part of Object.values(membership)) if (part !== membership.seen) Object.freeze(part)
  return membership
}
