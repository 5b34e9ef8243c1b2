import type { OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { type Db, type SpaceScope, spaceScope } from '#server/db/scope.ts'
import type { AuditEntry, AuditFilter } from '#shared/contract/audit-log.ts'
import type { FileAnswer } from '#shared/contract/endpoint.ts'
import { preferredLanguage } from '#shared/languages.ts'
import { countEntries, type EntryRow, findAddresses, readPage, timeOfEntry } from './audit-log.repository.ts'
import { writers } from './export-formats.ts'
import { verifySeals } from './seals.ts'

const idOf = (id: number) => id.toString(16).padStart(24, '0')
/**
 * Returns the numeric id of an `_id`. A value above `Number.MAX_SAFE_INTEGER` becomes this maximum, which is after all
 * entries.
 */
const keyOf = (text: string) => Math.min(Number.parseInt(text, 16), Number.MAX_SAFE_INTEGER)

async function presentAll(db: Db, scope: SpaceScope, entries: EntryRow[]): Promise<AuditEntry[]> {
  const addresses = await findAddresses(db, scope, entries)
  const named = (id: string | null, name: string | null) =>
    !name && id !== null ? (addresses.get(id) ?? name) : name
  return entries.map((row) => {
    const { actor, object, ...entry } = present(row)
    return {
      ...entry,
      actor: { ...actor, name: named(actor._id, actor.name) },
      object: { ...object, name: named(object._id, object.name) },
    }
  })
}

const present = (row: EntryRow): AuditEntry => ({
  _id: idOf(row.id),
  at: timeOfEntry(row.id).toISOString(),
  act: row.act,
  outcome: row.outcome,
  actor: { kind: row.actor_kind, _id: row.actor_id, name: row.actor_name },
  ip: row.ip,
  userAgent: row.agent,
  object: { kind: row.object_kind, _id: row.object_id, name: row.object_name },
  details: row.details as AuditEntry['details'],
})

type Asked = AuditFilter & { before?: string | undefined; limit: number }

export const listAuditLog = ({ db, scope }: SpaceContext, asked: Asked) => list(db, scope, asked)

/** Returns entries of actions outside spaces. */
export const listInstallationAuditLog = (db: Db, asked: Asked) => list(db, spaceScope(0), asked)

async function list(db: Db, scope: SpaceScope, { before, limit, ...filter }: Asked) {
  const page = await readPage(db, scope, filter, {
    limit,
    ...(before === undefined ? {} : { before: keyOf(before) }),
  })
  const isFiltered = Object.values(filter).some((value) => value !== undefined && value !== '')
  return {
    auditLogs: await presentAll(db, scope, page.entries),
    total: isFiltered || before !== undefined ? null : sumOf(await countEntries(db, scope)),
    next: page.next === null ? null : idOf(page.next),
    searchedTo: page.searchedTo === null ? null : timeOfEntry(page.searchedTo).toISOString(),
  }
}

const sumOf = ({ sealed, unsealed }: { sealed: number; unsealed: number }) => sealed + unsealed

const exportedAtOnce = 1000

/** Returns all entries that match the filter as a file. Holds no database connection while the client reads. */
export function exportAuditLog(
  ctx: OwnTransactions<SpaceContext>,
  { format, ...filter }: AuditFilter & { format: keyof typeof writers },
  signal: AbortSignal,
): FileAnswer {
  async function* entries(): AsyncGenerator<AuditEntry[]> {
    let before: number | null | undefined
    do {
      signal.throwIfAborted()
      const { page, entries } = await ctx.inSpace(async ({ db, scope }) => {
        const part = { limit: exportedAtOnce, ...(before == null ? {} : { before }) }
        const page = await readPage(db, scope, filter, part)
        return { page, entries: await presentAll(db, scope, page.entries) }
      })
      yield entries
      before = page.next
    } while (before !== null)
  }
  const { type, write } = writers[format]
  const language = ctx.actor.kind === 'account' ? ctx.actor.language : preferredLanguage()
  return { bytes: write(entries(), language), fileName: `audit-log.${format}`, type }
}

/** Verifies the sealed entries of the space. Stops at the first mismatch. */
export function verifyAuditLog(ctx: OwnTransactions<SpaceContext>, signal: AbortSignal) {
  return verifySeals((work) => {
    signal.throwIfAborted()
    return ctx.inSpace(({ db, scope }) => work(db, scope))
  })
}
