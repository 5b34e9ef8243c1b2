import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { compileOnce, type Placeholders } from '#server/db/compile-once.ts'
import { entering, type Tx } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import { findMembership, keysOf, type Membership, narrow, type Place, spaceBy } from './membership.ts'

/*
 * What members may do changes seldom and is asked for with every request. So it is kept in memory for as long as the version of the
 * space's policy stays, which triggers change together with any row that it follows from (docs/decisions/0070). The version is
 * read in the transaction of each request: what was taken away before is refused, on every process.
 */

interface Remembered {
  membership: Membership
  policy: string
}

/** By account, space and app. What a role says of single models takes its room. */
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
 * What `admit` says, for a transaction that begins with it: one that has changed something itself must not ask memory, nor leave
 * there what may never be committed. Only who is let in is remembered.
 */
export async function rememberedMembership(tx: Tx, accountId: string, place: Place): Promise<Membership> {
  const { by, space, app } = keysOf(place)
  const key = `${accountId} ${by} ${space} ${app ?? ''}`
  const known = remembered.get(key)
  if (known) {
    const [now] = await findPolicy[by](tx, { space })
    if (!now) throw new AppError('NotFound')
    // A uid may be that of another space meanwhile.
    if (now.policy === known.policy && now.id === known.membership.scope.spaceId)
      return narrow(tx, known.membership, place)
    remembered.delete(key)
  }
  const found = await findMembership(tx, accountId, place)
  remembered.set(key, { ...found, membership: frozen(found.membership) })
  return narrow(tx, found.membership, place)
}

/** Requests share what is remembered: none may change it for the others. */
function frozen(membership: Membership): Membership {
  for (const part of Object.values(membership)) if (part !== membership.seen) Object.freeze(part)
  return membership
}
