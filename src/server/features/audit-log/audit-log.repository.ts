import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { AuditEntryTable } from '#server/db/tables.ts'
import type { AuditFilter } from '#shared/contract/audit-log.ts'

export type EntryRow = Selectable<AuditEntryTable>

/** 1 January 2025, the epoch of entry ids (migration 0034). */
const epoch = 1_735_689_600_000
const perMillisecond = 4096

export const timeOfEntry = (id: number) => new Date(Math.floor(id / perMillisecond) + epoch)
/** Returns the smallest id that an entry of this time can have. */
const idAt = (moment: string) => Math.ceil((Date.parse(moment) - epoch) * perMillisecond)

/**
 * Maximum number of entries scanned for a page. Conditions without an index are checked by scanning, newest first. If
 * this limit ends the scan, the page contains the id of the last scanned entry.
 */
const window = 5000

/** Returns the conditions that use an index. */
function indexed(
  { spaceId }: SpaceScope,
  filter: AuditFilter,
  before: number | undefined,
): RawBuilder<unknown> {
  const parts = [sql`space_id = ${spaceId}`]
  if (filter.person !== undefined) parts.push(sql`actor_id = ${filter.person}`)
  if (filter.object !== undefined) parts.push(sql`object_id = ${filter.object}`)
  if (filter.from !== undefined) parts.push(sql`id >= ${idAt(filter.from)}`)
  if (filter.to !== undefined) parts.push(sql`id < ${idAt(filter.to)}`)
  if (before !== undefined) parts.push(sql`id < ${before}`)
  return sql.join(parts, sql` AND `)
}

/** Returns the conditions that are checked by scanning. null: no such condition. */
function looked({ kind, outcome, search }: AuditFilter): RawBuilder<unknown> | null {
  const parts: RawBuilder<unknown>[] = []
  if (kind !== undefined) parts.push(sql`object_kind = ${kind}`)
  if (outcome !== undefined) parts.push(outcome === 'done' ? sql`outcome = 'done'` : sql`outcome <> 'done'`)
  if (search)
    parts.push(
      sql`strpos(lower(concat_ws(' ', act, actor_name, object_name, object_id, ip)), lower(${search})) > 0`,
    )
  return parts.length > 0 ? sql.join(parts, sql` AND `) : null
}

/**
 * Returns the email addresses, by id, of accounts and members that entries contain without a name. Older versions wrote
 * such entries, and entries are immutable.
 */
export async function findAddresses(
  db: Db,
  { spaceId }: SpaceScope,
  entries: readonly EntryRow[],
): Promise<Map<string, string>> {
  const ids = entries.flatMap((entry) => [
    ...(entry.actor_kind === 'account' && !entry.actor_name && entry.actor_id ? [entry.actor_id] : []),
    ...(isPerson(entry.object_kind) && !entry.object_name && entry.object_id ? [entry.object_id] : []),
  ])
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; email: string }>`
    SELECT id, email FROM account WHERE id = ANY(${ids}::text[])
    UNION ALL SELECT space_member.id, account.email FROM space_member JOIN account ON account.id = space_member.account_id
    WHERE space_member.space_id = ${spaceId} AND space_member.id = ANY(${ids}::text[])`.execute(db)
  return new Map(rows.map(({ id, email }) => [id, email]))
}

const isPerson = (kind: string) => kind === 'account' || kind === 'member'

export interface EntryPage {
  entries: EntryRow[]
  /** The cursor of the next page; null on the last page. */
  next: number | null
  /**
   * The id of the oldest scanned entry, if the scan ended at `window` entries and found no more than one page.
   * Otherwise null.
   */
  searchedTo: number | null
}

/** Returns the newest entries that match the filter and are older than the entry `before`. */
export async function readPage(
  db: Db,
  scope: SpaceScope,
  filter: AuditFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<EntryPage> {
  const found = indexed(scope, filter, before)
  const wanted = looked(filter)
  const { rows } = await sql<EntryRow>`
    SELECT * FROM (SELECT * FROM audit_entry WHERE ${found} ORDER BY id DESC LIMIT ${wanted ? window : limit + 1}) AS found
    ${wanted ? sql`WHERE ${wanted}` : sql``} ORDER BY id DESC LIMIT ${limit + 1}`.execute(db)
  const entries = rows.slice(0, limit)
  if (rows.length > limit) return { entries, next: entries.at(-1)?.id ?? null, searchedTo: null }
  if (!wanted) return { entries, next: null, searchedTo: null }
  const { rows: last } = await sql<{ id: number }>`
    SELECT id FROM audit_entry WHERE ${found} ORDER BY id DESC OFFSET ${window - 1} LIMIT 1`.execute(db)
  const end = last[0]?.id ?? null
  return { entries, next: end, searchedTo: end }
}

/** Returns the number of existing sealed entries. `upTo`: entries of transactions before it are sealed. */
async function findSealed(db: Db, { spaceId }: SpaceScope): Promise<{ sealed: number; upTo: number }> {
  const { rows } = await sql<{ sealed: number; upTo: number }>`
    SELECT (total - coalesce((SELECT sum(entries) FROM audit_cut WHERE space_id = ${spaceId}), 0))::float8 AS sealed,
      to_xact AS "upTo" FROM audit_seal WHERE space_id = ${spaceId} ORDER BY number DESC LIMIT 1`.execute(db)
  return rows[0] ?? { sealed: 0, upTo: 0 }
}

/**
 * Returns the number of the space's entries. The number of sealed entries is stored; the few unsealed ones are counted.
 */
export async function countEntries(db: Db, scope: SpaceScope): Promise<{ sealed: number; unsealed: number }> {
  const { sealed, upTo } = await findSealed(db, scope)
  // A separate statement with the literal value lets PostgreSQL estimate how few rows match.
  const { rows } = await sql<{ unsealed: number }>`
    SELECT count(*)::int AS unsealed FROM audit_entry
    WHERE space_id = ${scope.spaceId} AND xact >= ${upTo}`.execute(db)
  return { sealed, unsealed: rows[0]?.unsealed ?? 0 }
}
