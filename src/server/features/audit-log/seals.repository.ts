import { sql } from 'kysely'
import type { Db, SpaceScope, Tx } from '#server/db/scope.ts'

/** SQL: the concatenated hashes of the entries that a seal covers, to be selected from `audit_entry AS entry`. */
const digest = sql`coalesce(string_agg(audit_hash(entry), ''::bytea ORDER BY entry.xact, entry.id), ''::bytea)`

const sealOf = (previous: string, number: string, entries: string, digested: string) =>
  sql`sha256(coalesce(${sql.raw(previous)}, ''::bytea)
    || convert_to(${sql.raw(number)} || ':' || ${sql.raw(entries)} || ':', 'UTF8') || ${sql.raw(digested)})`

/**
 * Locks the row that marks the end of the sealed range. `from`: the first transaction that is not sealed. `end`: all
 * transactions before it have ended. `some`: the transaction that follows about `atOnce` unsealed entries. null: there
 * are fewer entries.
 */
export async function openRange(
  tx: Tx,
  atOnce: number,
): Promise<{ from: number; end: number; some: number | null } | undefined> {
  const { rows } = await sql<{ from: number; end: number; some: number | null }>`
      SELECT to_xact AS "from", pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS "end", (
        SELECT xact FROM audit_entry WHERE xact > to_xact ORDER BY xact OFFSET ${atOnce} LIMIT 1) AS "some"
      FROM audit_sealed FOR UPDATE`.execute(tx)
  return rows[0]
}

/**
 * Seals the entries of the transactions in the range, one seal per space, and moves the mark. Returns the number of
 * entries of each seal.
 */
export async function insertSeals(
  tx: Tx,
  range: { from: number; to: number },
): Promise<{ entries: number }[]> {
  const { rows } = await sql<{ entries: number }>`
      WITH fresh AS (
        SELECT space_id, count(*)::int AS entries, ${digest} AS digested FROM audit_entry AS entry
        WHERE xact >= ${range.from} AND xact < ${range.to} GROUP BY space_id
      ), chained AS (
        SELECT fresh.*, coalesce(last.number, 0) + 1 AS number, coalesce(last.to_xact, 0) AS from_xact,
          coalesce(last.total, 0) + fresh.entries AS total, last.hash AS previous
        FROM fresh LEFT JOIN LATERAL (SELECT * FROM audit_seal WHERE audit_seal.space_id = fresh.space_id
          ORDER BY number DESC LIMIT 1) AS last ON true
      )
      INSERT INTO audit_seal (space_id, number, from_xact, to_xact, entries, total, hash)
      SELECT space_id, number, from_xact, ${range.to}, entries, total,
        ${sealOf('previous', 'number', 'entries', 'digested')}
      FROM chained RETURNING entries`.execute(tx)
  await tx.updateTable('audit_sealed').set({ to_xact: range.to }).execute()
  return rows
}

/** Returns the number of the space's deleted entries, and the last seal that covers them (0: no deleted entries). */
export async function sumCuts(db: Db, scope: SpaceScope): Promise<{ purged: number; cut: number }> {
  const { rows } = await sql<{ purged: number; cut: number }>`
      SELECT coalesce(sum(entries), 0)::float8 AS purged, coalesce(max(number), 0) AS cut
      FROM audit_cut WHERE space_id = ${scope.spaceId}`.execute(db)
  return rows[0] ?? { purged: 0, cut: 0 }
}

export interface CheckedSeal {
  number: number
  entries: number
  created_at: Date
  hash: Buffer
  /** The number of the previous seal. null: it does not exist. */
  follows: number | null
  actual: Buffer
  found: number
}

/**
 * Returns the next seals after `last` with their recomputed hashes: at most 500 seals, with about `atOnce` entries in
 * total.
 */
export async function checkSome(
  db: Db,
  { spaceId }: SpaceScope,
  last: number,
  atOnce: number,
): Promise<CheckedSeal[]> {
  const { rows } = await sql<CheckedSeal>`
    WITH next AS (
      SELECT * FROM (SELECT *, sum(entries) OVER (ORDER BY number) - entries AS before FROM (
        SELECT * FROM audit_seal WHERE space_id = ${spaceId} AND number > ${last} ORDER BY number LIMIT 500) AS behind
      ) AS counted WHERE before < ${atOnce}
    )
    SELECT next.number, next.entries, next.created_at, next.hash, previous.number AS follows, covered.found,
      ${sealOf('previous.hash', 'next.number', 'next.entries', 'covered.digested')} AS actual
    FROM next LEFT JOIN audit_seal AS previous
      ON previous.space_id = next.space_id AND previous.number = next.number - 1,
    LATERAL (SELECT count(*)::int AS found, ${digest} AS digested FROM audit_entry AS entry
      WHERE entry.space_id = next.space_id AND entry.xact >= next.from_xact AND entry.xact < next.to_xact) AS covered
    ORDER BY next.number`.execute(db)
  return rows
}
