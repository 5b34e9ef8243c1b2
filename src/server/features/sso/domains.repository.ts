import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { SsoDomainTable } from '#server/db/tables.ts'
import { newId } from '#server/lib/ids.ts'

/** A domain that a space says is its own. */
export interface DomainRow {
  domain: string
  /** What its TXT record has to say. */
  challenge: string
  /** null: it is not proven. */
  proof: SsoDomainTable['proof']
  checkedAt: Date | null
}

const columns = ['domain', 'challenge', 'proof', 'checked_at as checkedAt'] as const

/** The domains of a space in the order of their names. */
export async function listDomains(db: Db, { spaceId }: SpaceScope): Promise<DomainRow[]> {
  return db
    .selectFrom('sso_domain')
    .select(columns)
    .where('space_id', '=', spaceId)
    .orderBy('domain')
    .execute()
}

export async function findDomain(db: Db, { spaceId }: SpaceScope, domain: string): Promise<DomainRow | null> {
  const row = await db
    .selectFrom('sso_domain')
    .select(columns)
    .where('space_id', '=', spaceId)
    .where('domain', '=', domain)
    .executeTakeFirst()
  return row ?? null
}

/** These and no others: what is new is to be proven, what stays keeps what is known of it. */
export async function saveDomains(db: Db, scope: SpaceScope, domains: string[]): Promise<DomainRow[]> {
  const { spaceId } = scope
  await db
    .deleteFrom('sso_domain')
    .where('space_id', '=', spaceId)
    .where(sql<boolean>`domain <> ALL(${domains}::text[])`)
    .execute()
  if (domains.length > 0)
    await db
      .insertInto('sso_domain')
      .values(domains.map((domain) => ({ space_id: spaceId, domain, challenge: newId() })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  return listDomains(db, scope)
}

/** Notes that the records were asked for, or that somebody who may says so, and with a `proof` that the domain is the space's. */
export async function noteDomain(
  db: Db,
  { spaceId }: SpaceScope,
  { domain, challenge }: Pick<DomainRow, 'domain' | 'challenge'>,
  proof: 'dns' | 'operator' | null,
): Promise<boolean> {
  const noted = await db
    .updateTable('sso_domain')
    .set(proof === 'operator' ? { proof } : { checked_at: sql<Date>`now()`, ...(proof && { proof }) })
    .where('space_id', '=', spaceId)
    .where('domain', '=', domain)
    // Of a domain that was taken away and named again, the record of before says nothing.
    .where('challenge', '=', challenge)
    .executeTakeFirst()
  return noted.numUpdatedRows > 0n
}
