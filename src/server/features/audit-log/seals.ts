import { sql } from 'kysely'
import { type Db, inTransaction, type SpaceScope, type Tx } from '#server/db/scope.ts'
import { countEntries } from './audit-log.repository.ts'

/*
 * Seals make a chain: each is the SHA-256 of the seal before it, its own number and count, and the hashes of the entries
 * that it covers, in the order of their transactions and ids. A job puts them on a few minutes after the acts, so that no
 * writer waits for another (docs/decisions/0049).
 */

/** So many entries are hashed in one statement, about. */
const atOnce = 20_000

/** What a seal covers of entries: to be selected from `audit_entry AS entry`. */
const digest = sql`coalesce(string_agg(audit_hash(entry), ''::bytea ORDER BY entry.xact, entry.id), ''::bytea)`

const sealOf = (previous: string, number: string, entries: string, digested: string) =>
  sql`sha256(coalesce(${sql.raw(previous)}, ''::bytea)
    || convert_to(${sql.raw(number)} || ':' || ${sql.raw(entries)} || ':', 'UTF8') || ${sql.raw(digested)})`

/**
 * Seals all entries, of every space, to which no transaction can add any more: those older than the oldest one that is
 * still under way. Answers how many.
 */
export async function sealEntries(db: Db): Promise<number> {
  let sealed = 0
  for (let more = true; more; ) {
    const step = await inTransaction(db, sealSome)
    sealed += step.entries
    more = step.more
  }
  return sealed
}

/** One seal for each space; not more entries than one statement is done with in good time. */
async function sealSome(tx: Tx): Promise<{ entries: number; more: boolean }> {
  const { rows } = await sql<{ from: number; end: number; some: number | null }>`
      SELECT to_xact AS "from", pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS "end", (
        SELECT xact FROM audit_entry WHERE xact > to_xact ORDER BY xact OFFSET ${atOnce} LIMIT 1) AS "some"
      FROM audit_sealed FOR UPDATE`.execute(tx)
  const [row] = rows
  if (!row || row.end <= row.from) return { entries: 0, more: false }
  const range = { from: row.from, to: Math.min(row.end, row.some ?? row.end) }
  const sealed = await sql<{ entries: number }>`
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
  const entries = sealed.rows.reduce((sum, row) => sum + row.entries, 0)
  return { entries, more: range.to < row.end }
}

interface CheckedSeal {
  number: number
  entries: number
  created_at: Date
  hash: Buffer
  /** Of the seal before it. */
  follows: number | null
  actual: Buffer
  found: number
}

export interface Verification {
  entries: number
  unsealed: number
  seals: number
  released: number
  sealedAt: Date | null
  head: string | null
  problem: { seal: number; sealedAt: Date; kind: 'entries' | 'chain' | 'missing' } | null
}

type Inside = <T>(work: (db: Db, scope: SpaceScope) => Promise<T>) => Promise<T>

/** Checks the chain of a space, a part of it in each transaction, and stops at the first thing that is not as it was sealed. */
export async function verifySeals(inside: Inside): Promise<Verification> {
  const { released, cut, unsealed } = await inside(async (db, scope) => {
    const { rows } = await sql<{ released: number; cut: number }>`
      SELECT coalesce(sum(entries), 0)::float8 AS released, coalesce(max(number), 0) AS cut
      FROM audit_cut WHERE space_id = ${scope.spaceId}`.execute(db)
    const { unsealed } = await countEntries(db, scope)
    return { released: rows[0]?.released ?? 0, cut: rows[0]?.cut ?? 0, unsealed }
  })
  const result: Verification = {
    entries: 0,
    unsealed,
    seals: 0,
    released,
    sealedAt: null,
    head: null,
    problem: null,
  }
  for (let last = cut; ; ) {
    const seals = await inside((db, scope) => checkSome(db, scope, last))
    for (const seal of seals) {
      const kind = problemOf(seal, last)
      if (kind) return { ...result, problem: { seal: seal.number, sealedAt: seal.created_at, kind } }
      last = seal.number
      result.entries += seal.entries
      result.seals++
      result.sealedAt = seal.created_at
      result.head = seal.hash.toString('hex')
    }
    if (seals.length === 0) return result
  }
}

function problemOf(seal: CheckedSeal, last: number): 'entries' | 'chain' | 'missing' | null {
  if (seal.number !== last + 1 || (seal.follows === null && last > 0)) return 'chain'
  if (seal.found < seal.entries) return 'missing'
  return seal.found === seal.entries && seal.actual.equals(seal.hash) ? null : 'entries'
}

/** The seals behind `last` whose entries are not too many together, with what they should be. */
async function checkSome(db: Db, { spaceId }: SpaceScope, last: number): Promise<CheckedSeal[]> {
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
