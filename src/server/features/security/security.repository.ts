import { type Selectable, sql } from 'kysely'
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
  'version',
] as const

/** What the space asks; version 0 where nobody has said anything yet. */
export async function findSettings(db: Db, { spaceId }: SpaceScope): Promise<SecurityRow> {
  const row = await db
    .selectFrom('space_security')
    .select(columns)
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  return row ?? nothing
}

/** Takes the place of what there was, as its next version. */
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

/** Can anybody sign in by SSO? */
export async function isSsoReady(db: Db, { spaceId }: SpaceScope): Promise<boolean> {
  const row = await db
    .selectFrom('sso_connection')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('is_complete', '=', true)
    .executeTakeFirst()
  return row !== undefined
}
