import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { AuditEntryTable } from '#server/db/tables.ts'
import type { AuditFilter } from '#shared/contract/audit-log.ts'

export type EntryRow = Selectable<AuditEntryTable>

/** 1 January 2025: from where ids count (migration 0034). */
const epoch = 1_735_689_600_000
const perMillisecond = 4096

export const timeOfEntry = (id: number) => new Date(Math.floor(id / perMillisecond) + epoch)
/** The first id that an entry of this moment can have. */
const idAt = (moment: string) => Math.ceil((Date.parse(moment) - epoch) * perMillisecond)

/**
 * How many entries are looked at for one page at most: what no index finds is found by looking, newest first, and the
 * page says how far it came.
 */
const window = 5000

/** What an index finds. */
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

/** What is looked for in what was found; null: all of it is wanted. */
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
 * The addresses of accounts and members, by their ids, whom entries call by no name: once these were written so, and entries never
 * change.
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
  /** Where to go on; null: this was all. */
  next: number | null
  /** The oldest entry that was looked at, where the page ended for having looked at so many. */
  searchedTo: number | null
}

/** The newest entries of those, before an id. */
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

/** What the seals know: entries that are there still, and up to where they are sealed. */
async function findSealed(db: Db, { spaceId }: SpaceScope): Promise<{ sealed: number; upTo: number }> {
  const { rows } = await sql<{ sealed: number; upTo: number }>`
    SELECT (total - coalesce((SELECT sum(entries) FROM audit_cut WHERE space_id = ${spaceId}), 0))::float8 AS sealed,
      to_xact AS "upTo" FROM audit_seal WHERE space_id = ${spaceId} ORDER BY number DESC LIMIT 1`.execute(db)
  return rows[0] ?? { sealed: 0, upTo: 0 }
}

/** How many entries the space has: those of seals are known, the others are few and counted. */
export async function countEntries(db: Db, scope: SpaceScope): Promise<{ sealed: number; unsealed: number }> {
  const { sealed, upTo } = await findSealed(db, scope)
  // A statement of its own, with the number in it: so PostgreSQL knows how few there are.
  const { rows } = await sql<{ unsealed: number }>`
    SELECT count(*)::int AS unsealed FROM audit_entry
    WHERE space_id = ${scope.spaceId} AND xact >= ${upTo}`.execute(db)
  return { sealed, unsealed: rows[0]?.unsealed ?? 0 }
}
