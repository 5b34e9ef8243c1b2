import { type Db, inTransaction, type SpaceScope, type Tx } from '#server/db/scope.ts'
import { countEntries } from './audit-log.repository.ts'
import { type CheckedSeal, checkSome, insertSeals, openRange, sumCuts } from './seals.repository.ts'

/*
 * Seals form a chain: each is the SHA-256 of the previous seal's hash, its own number and count, and the hashes of the
 * entries it covers, ordered by transaction and id. A job creates them a few minutes later, so that writers do not wait
 * for each other (docs/decisions/0049).
 */

/** Approximate number of entries hashed in one statement. */
const atOnce = 20_000

/**
 * Seals the entries of all spaces that are older than the oldest running transaction, so that no entry can be added
 * among them. Returns the number of sealed entries.
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

/** Creates at most one seal per space, for about `atOnce` entries in total. */
async function sealSome(tx: Tx): Promise<{ entries: number; more: boolean }> {
  const row = await openRange(tx, atOnce)
  if (!row || row.end <= row.from) return { entries: 0, more: false }
  const range = { from: row.from, to: Math.min(row.end, row.some ?? row.end) }
  const sealed = await insertSeals(tx, range)
  const entries = sealed.reduce((sum, row) => sum + row.entries, 0)
  return { entries, more: range.to < row.end }
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

/** Verifies the chain of a space in several transactions, and stops at the first mismatch. */
export async function verifySeals(inside: Inside): Promise<Verification> {
  const { purged, cut, unsealed } = await inside(async (db, scope) => {
    const { purged, cut } = await sumCuts(db, scope)
    const { unsealed } = await countEntries(db, scope)
    return { purged, cut, unsealed }
  })
  const result: Verification = {
    entries: 0,
    unsealed,
    seals: 0,
    released: purged,
    sealedAt: null,
    head: null,
    problem: null,
  }
  for (let last = cut; ; ) {
    const seals = await inside((db, scope) => checkSome(db, scope, last, atOnce))
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
