import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { SsoDomainTable } from '#server/db/tables.ts'
import { newId } from '#server/lib/ids.ts'

/** A domain that a space claims. */
export interface DomainRow {
  domain: string
  /** Required value of the TXT record. */
  challenge: string
  /** null: not proven. */
  proof: SsoDomainTable['proof']
  checkedAt: Date | null
}

const columns = ['domain', 'challenge', 'proof', 'checked_at as checkedAt'] as const

/** Returns the domains of a space, sorted by name. */
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

/**
 * Replaces the domains of the space. New domains are not proven. Domains that stay, or were proven for this space
 * before, keep their challenge and proof.
 */
export async function saveDomains(db: Db, scope: SpaceScope, domains: string[]): Promise<DomainRow[]> {
  const { spaceId } = scope
  await sql`
    WITH gone AS (DELETE FROM sso_domain WHERE space_id = ${spaceId} AND domain <> ALL(${domains}::text[]) RETURNING *)
    INSERT INTO former_sso_domain (space_id, domain, challenge, proof)
    SELECT space_id, domain, challenge, proof FROM gone WHERE proof IS NOT NULL`.execute(db)
  const challenges = domains.map(() => newId())
  await sql`
    WITH back AS (DELETE FROM former_sso_domain WHERE space_id = ${spaceId} AND domain = ANY(${domains}::text[]) RETURNING *)
    INSERT INTO sso_domain (space_id, domain, challenge, proof)
    SELECT ${spaceId}, named.domain, coalesce(back.challenge, named.challenge), back.proof
    FROM unnest(${domains}::text[], ${challenges}::text[]) AS named (domain, challenge)
    LEFT JOIN back ON back.domain = named.domain
    ON CONFLICT DO NOTHING`.execute(db)
  return listDomains(db, scope)
}

/**
 * Stores the confirmation by an operator, or the result of a check of the TXT records. `proof` null: the check failed,
 * and only its time is stored. Returns false if the domain was removed or its challenge has changed.
 */
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
    // The challenge changes when an unproven domain is removed and added again, so an older record proves nothing.
    .where('challenge', '=', challenge)
    .executeTakeFirst()
  return noted.numUpdatedRows > 0n
}
