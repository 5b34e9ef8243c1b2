import { type RawBuilder, sql } from 'kysely'
import { compileOnce, type Placeholders } from '#server/db/compile-once.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import {
  type AuditAct,
  type AuditChange,
  type AuditDetails,
  type AuditItems,
  type AuditObject,
  maximumAuditedItems,
} from '#shared/audit.ts'
import { shorten } from '#shared/unicode.ts'
import { type AccountActor, type Actor, accountOf } from './actor.ts'

/*
 * Functions that write the audit log (docs/decisions/0049). `operations/` calls them for operations that change
 * something, and the job runner for jobs.
 */

export interface AuditEntry {
  act: AuditAct
  /** `done`, or the error code of the refused call or failed job. */
  outcome: string
  actor:
    | (Pick<AccountActor, 'kind' | 'accountId' | 'name'> & Partial<Pick<AccountActor, 'email'>>)
    | Exclude<Actor, { kind: 'account' }>
    /** The operator, through a command on the server. */
    | { kind: 'operator'; name: string }
    | null
  ip?: string | null
  agent?: string | null
  object: { kind: AuditObject; id: string | null; name: string | null }
  details: AuditDetails
}

const longestName = 200
const longestAgent = 300
const longestValue = 300

/**
 * Replaces control characters by spaces, because PostgreSQL rejects NUL and terminals interpret others. Truncates to
 * `longest` UTF-16 units.
 */
function line(text: string, longest: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  const clean = text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, ' ')
  return clean.length > longest ? `${shorten(clean, longest - 1)}…` : clean
}

const lineOrNull = (text: string | null | undefined, longest: number) =>
  text == null ? null : line(text, longest)

/**
 * Adds an entry to the log of a space, or of the installation if `scope` is null. Call it in the transaction of the
 * audited change, if there is one.
 */
export async function writeAudit(db: Db, scope: SpaceScope | null, entry: AuditEntry): Promise<void> {
  await inSpace(db, { ...columnsOf(entry), spaceId: scope?.spaceId ?? 0 })
}

/** Adds several entries to the log of one space, in their order, in one statement. */
export async function writeAudits(db: Db, { spaceId }: SpaceScope, entries: AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map((entry) => {
    const { details, ...columns } = columnsOf(entry)
    return { ...columns, details: JSON.parse(details) }
  })
  await sql`INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent,
      object_kind, object_id, object_name, details)
    SELECT ${spaceId}, act, outcome, "actorKind", "actorId", "actorName", ip, agent, "objectKind", "objectId", "objectName",
      details FROM jsonb_to_recordset(${storedJson(rows)}::jsonb) AS entry (act text, outcome text, "actorKind" text,
      "actorId" text, "actorName" text, ip text, agent text, "objectKind" text, "objectId" text, "objectName" text,
      details jsonb)`.execute(db)
}

/** Maximum number of spaces whose logs record one event of an account. */
const mostSpaces = 50

/**
 * Adds an entry to the logs of the first {@link mostSpaces} spaces that the account joined, because their admins cannot
 * see the installation's log.
 */
export async function writeAuditOfMember(db: Db, accountId: string, entry: AuditEntry): Promise<void> {
  const spaces = sql`(SELECT space_id FROM space_member WHERE account_id = ${accountId} ORDER BY created_at LIMIT ${mostSpaces})`
  await inserting(spaces, columnsOf(entry)).execute(db)
}

/** Records the effect of a scheduled job on objects of several spaces: one entry per space. */
export async function writeAuditOfSpaces(
  db: Db,
  { act, actor }: Pick<AuditEntry, 'act' | 'actor'>,
  things: { spaceId: number; id: string }[],
): Promise<void> {
  for (const spaceId of new Set(things.map((thing) => thing.spaceId))) {
    const own = things.filter((thing) => thing.spaceId === spaceId).map(({ id }) => ({ _id: id }))
    const kind = act.slice(0, act.indexOf('.')) as AuditObject
    const object = { kind, id: null, name: null }
    const entry: AuditEntry = { act, outcome: 'done', actor, object, details: { items: itemsOf(own) } }
    await inSpace(db, { ...columnsOf(entry), spaceId })
  }
}

type Columns = ReturnType<typeof columnsOf>

const inSpace = compileOnce((db, { spaceId, ...columns }: Placeholders<Columns & { spaceId: number }>) =>
  inserting(sql`(SELECT ${spaceId}::int AS space_id)`, columns).compile(db),
)

/** Builds the statement that inserts the entry. `spaces` is a subquery; each `space_id` in it gets an entry. */
const inserting = (spaces: RawBuilder<unknown>, entry: Columns | Placeholders<Columns>) =>
  sql`INSERT INTO audit_entry (space_id, act, outcome, actor_kind, actor_id, actor_name, ip, agent,
      object_kind, object_id, object_name, details)
    SELECT space_id, ${entry.act}, ${entry.outcome}, ${entry.actorKind}, ${entry.actorId}, ${entry.actorName},
      ${entry.ip}, ${entry.agent}, ${entry.objectKind}, ${entry.objectId}, ${entry.objectName},
      ${entry.details}::jsonb FROM ${spaces} AS spaces`

function columnsOf({ act, outcome, actor, ip, agent, object, details }: AuditEntry) {
  return {
    act,
    outcome,
    actorKind: actor?.kind ?? 'nobody',
    actorId: actorId(actor),
    actorName: lineOrNull(nameOf(actor), longestName),
    ip: ip ?? null,
    agent: lineOrNull(agent, longestAgent),
    objectKind: object.kind,
    objectId: lineOrNull(object.id, 100),
    objectName: lineOrNull(object.name, longestName),
    details: storedJson(actor?.kind === 'system' ? { ...details, systemReason: actor.reason } : details),
  }
}

/** An account without a name is recorded by its e-mail address. */
function nameOf(actor: AuditEntry['actor']): string | undefined {
  return actor?.kind === 'account' ? actor.name || actor.email || '' : actor?.name
}

function actorId(actor: AuditEntry['actor']): string | null {
  if (actor === null) return null
  if (actor.kind === 'account') return actor.accountId
  if (actor.kind === 'operator') return null
  return actor.kind === 'token' ? actor.tokenId : accountOf(actor)
}

/** Details about the audited call that only the use-case can provide. */
export interface AuditNotes {
  /** The actual act, if one endpoint covers several. */
  act?: AuditAct
  objectId?: string
  objectName?: string
  /** The object before and after the change. Only the properties that the contract lists (`shows`) are recorded. */
  before?: object
  after?: object
  /** Ids of several objects. Beyond {@link maximumAuditedItems}, ids are only counted. */
  ids?: string[]
  /** Further facts. They must be short and not secret. */
  facts?: Record<string, string | number | boolean | null>
}

/** The audit entry of the current operation. */
export interface AuditTrail {
  /** The actor of the operation. null: a public operation, or the caller is not admitted yet. */
  actor: Actor | null
  notes: AuditNotes
  /** Whether the use-case has added notes. */
  noted: boolean
  /** True if the entry was written, or must not be written. */
  settled: boolean
  /** The space that the caller has entered; later refusals are recorded in its log. */
  scope: SpaceScope | null
  /** Writes the entry in this transaction. For use-cases outside of spaces, which open their own transactions. */
  write(db: Db, scope: SpaceScope | null): Promise<void>
}

/** Adds notes to the current audit entry. Does nothing without one, as in jobs that call a use-case. */
export function noteAudit({ audit }: { audit?: AuditTrail }, notes: AuditNotes): void {
  if (!audit) return
  Object.assign(audit.notes, notes)
  audit.noted = true
}

/** Suppresses the audit entry of a call that had no effect to record. */
export function leaveNoAudit({ audit }: { audit?: AuditTrail }): void {
  if (audit) audit.settled = true
}

/**
 * Returns the properties in `keys` that differ between `before` and `after`. Long values are truncated before they are
 * compared.
 */
export function changesOf(
  before: object | undefined,
  after: object | undefined,
  keys: readonly string[],
): AuditChange[] {
  const was = (before ?? {}) as Record<string, unknown>
  const is = (after ?? {}) as Record<string, unknown>
  return keys.flatMap((key) => {
    if (canonical(was[key]) === canonical(is[key])) return []
    const change: AuditChange = {
      key,
      ...(was[key] == null ? {} : { before: shortened(was[key]) }),
      ...(is[key] == null ? {} : { after: shortened(is[key]) }),
    }
    return JSON.stringify(change.before) === JSON.stringify(change.after) ? [] : [change]
  })
}

/** Returns JSON with sorted keys, because PostgreSQL changes the order of keys in `jsonb`. */
const canonical = (value: unknown) =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

function shortened(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'string') return line(value, longestValue)
  const texts = (_: string, inner: unknown) => (typeof inner === 'string' ? line(inner, longestValue) : inner)
  const json = line(JSON.stringify(value, texts), longestValue)
  return json.endsWith('…') ? json : JSON.parse(json)
}

/** Summarizes bulk results for an audit entry. */
export function itemsOf(results: { _id?: unknown; success?: unknown }[]): AuditItems {
  return {
    count: results.length,
    failed: results.filter(({ success }) => success === false).length,
    ids: results
      .flatMap(({ _id }) => (typeof _id === 'string' ? [line(_id, 100)] : []))
      .slice(0, maximumAuditedItems),
  }
}
