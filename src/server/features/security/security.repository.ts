import { type RawBuilder, type Selectable, sql } from 'kysely'
import { rangesNow } from '#server/access/security.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { SpaceSecurityTable } from '#server/db/tables.ts'

export type SecurityRow = Omit<Selectable<SpaceSecurityTable>, 'space_id' | 'updated_at'>

const nothing: SecurityRow = {
  ip_ranges: null,
  token_ip_ranges: null,
  session_hours: null,
  second_factor: false,
  sso_required: false,
  sso_exempt: null,
  audit_days: null,
  addresses_visible: false,
  ip_ranges_pending_until: null,
  ip_ranges_before: null,
  token_ip_ranges_pending_until: null,
  token_ip_ranges_before: null,
  version: 0,
}

const columns = [
  'ip_ranges',
  'token_ip_ranges',
  'session_hours',
  'second_factor',
  'sso_required',
  'sso_exempt',
  'audit_days',
  'addresses_visible',
  'ip_ranges_pending_until',
  'ip_ranges_before',
  'token_ip_ranges_pending_until',
  'token_ip_ranges_before',
  'version',
] as const

/**
 * Returns the security settings; version 0 if none are saved. Pending ranges that have ended are replaced by the former
 * ranges.
 */
export async function findSettings(db: Db, { spaceId }: SpaceScope): Promise<SecurityRow> {
  const row = await db
    .selectFrom('space_security')
    .select(columns)
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  if (!row) return nothing
  return {
    ...row,
    ...(isOver(row.ip_ranges_pending_until) ? { ip_ranges: rangesNow(row), ...noPendingRanges } : {}),
    ...(isOver(row.token_ip_ranges_pending_until)
      ? { token_ip_ranges: row.token_ip_ranges_before, ...noPendingTokenRanges }
      : {}),
  }
}

const isOver = (endsAt: Date | null) => endsAt !== null && endsAt.getTime() <= Date.now()

export const noPendingRanges = { ip_ranges_pending_until: null, ip_ranges_before: null }
export const noPendingTokenRanges = { token_ip_ranges_pending_until: null, token_ip_ranges_before: null }

/** The columns of each kind of ranges: the ranges, the end of their pending period, and the ranges before it. */
const rangeColumns = {
  ipRanges: ['ip_ranges', 'ip_ranges_pending_until', 'ip_ranges_before'],
  tokenIpRanges: ['token_ip_ranges', 'token_ip_ranges_pending_until', 'token_ip_ranges_before'],
} as const
export type RangesName = keyof typeof rangeColumns

/**
 * If a pending period is over, restores the former ranges and returns the unconfirmed and the restored ones. Otherwise
 * returns null.
 */
export async function revertUnconfirmed(
  db: Db,
  { spaceId }: SpaceScope,
  name: RangesName,
): Promise<{ unconfirmed: string[] | null; restored: string[] | null } | null> {
  const [ranges, endsAt, rangesBefore] = rangeColumns[name].map((column) => sql.ref(column))
  const { rows } = await sql<{ unconfirmed: string[] | null; restored: string[] | null }>`
    UPDATE space_security AS s SET ${ranges} = before.${rangesBefore}, ${endsAt} = NULL, ${rangesBefore} = NULL,
      version = s.version + 1, updated_at = now()
    FROM (SELECT * FROM space_security WHERE space_id = ${spaceId} FOR UPDATE) AS before
    WHERE s.space_id = before.space_id AND before.${endsAt} <= now()
    RETURNING before.${ranges} AS unconfirmed, s.${ranges} AS restored`.execute(db)
  return rows[0] ?? null
}

/** Saves the settings and increments their version. */
export async function saveSettings(
  db: Db,
  { spaceId }: SpaceScope,
  { version: _, ...settings }: SecurityRow,
): Promise<SecurityRow> {
  return db
    .insertInto('space_security')
    .values({ space_id: spaceId, ...settings })
    .onConflict((conflict) =>
      conflict
        .column('space_id')
        .doUpdateSet({ ...settings, version: sql`space_security.version + 1`, updated_at: sql`now()` }),
    )
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Removes the restriction of members to IP ranges. Returns the previous ranges; null if there were none. */
export async function liftRanges(db: Db, { spaceId }: SpaceScope): Promise<string[] | null> {
  const { rows } = await sql<{ ranges: string[] }>`
    UPDATE space_security AS s SET ip_ranges = NULL, ip_ranges_pending_until = NULL, ip_ranges_before = NULL,
      version = s.version + 1, updated_at = now()
    FROM (SELECT * FROM space_security WHERE space_id = ${spaceId} FOR UPDATE) AS before
    WHERE s.space_id = before.space_id AND before.ip_ranges IS NOT NULL RETURNING before.ip_ranges AS ranges`.execute(
    db,
  )
  return rows[0]?.ranges ?? null
}

/** Ends the requirement of SSO. Returns false if it was not required. */
export async function liftSso(db: Db, { spaceId }: SpaceScope): Promise<boolean> {
  const row = await db
    .updateTable('space_security')
    .set({ sso_required: false, version: sql`version + 1`, updated_at: sql`now()` })
    .where('space_id', '=', spaceId)
    .where('sso_required', '=', true)
    .returning('space_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * SQL condition: the SSO connection of a space is complete and has a proven domain. `space`: the space's id in SQL,
 * which may be a column.
 */
export const ssoIsReady = (space: RawBuilder<number>) => sql<boolean>`EXISTS (SELECT FROM sso_connection
  JOIN sso_domain ON sso_domain.space_id = sso_connection.space_id AND sso_domain.proof IS NOT NULL
  WHERE sso_connection.space_id = ${space} AND is_complete)`

/** Returns the proven domains whose users can sign in by SSO, sorted by name. Empty while SSO is incomplete. */
export async function listSsoDomains(db: Db, { spaceId }: SpaceScope): Promise<string[]> {
  const rows = await db
    .selectFrom('sso_connection')
    .innerJoin('sso_domain', 'sso_domain.space_id', 'sso_connection.space_id')
    .select('sso_domain.domain')
    .where('sso_connection.space_id', '=', spaceId)
    .where('is_complete', '=', true)
    .where('proof', 'is not', null)
    .orderBy('domain')
    .execute()
  return rows.map(({ domain }) => domain)
}
