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
import type { AccountActor, Actor } from './actor.ts'

/*
 * Entries of the audit log are written here and nowhere else: by the edge for every call that changes something, by the
 * runner for jobs, and by what cuts the log (docs/decisions/0049).
 */

export interface AuditEntry {
  act: AuditAct
  /** `done`, or the code of the refusal. */
  outcome: string
  actor:
    | (Pick<AccountActor, 'kind' | 'accountId' | 'name'> & Partial<Pick<AccountActor, 'email'>>)
    | Exclude<Actor, { kind: 'account' }>
    /** Whoever runs commands of ours on the machine itself. */
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

/** A text that PostgreSQL takes and no terminal obeys, cut to a length. */
function line(text: string, longest: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const clean = text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, ' ')
  return clean.length > longest ? `${clean.slice(0, longest - 1).toWellFormed()}…` : clean
}

const lineOrNull = (text: string | null | undefined, longest: number) =>
  text == null ? null : line(text, longest)

/** Adds an entry to the log of a space, or with null to that of the installation, in the transaction of the act if there is one. */
export async function writeAudit(db: Db, scope: SpaceScope | null, entry: AuditEntry): Promise<void> {
  await inSpace(db, { ...columnsOf(entry), spaceId: scope?.spaceId ?? 0 })
}

/** So many spaces hear of what happens to an account outside of them. */
const mostSpaces = 50

/** Adds an entry to the logs of the spaces that an account is a member of: who looks after them cannot see any other. */
export async function writeAuditOfMember(db: Db, accountId: string, entry: AuditEntry): Promise<void> {
  const spaces = sql`(SELECT space_id FROM space_member WHERE account_id = ${accountId} ORDER BY created_at LIMIT ${mostSpaces})`
  await inserting(spaces, columnsOf(entry)).execute(db)
}

/** What a job of the clock did to things of several spaces: an entry in the log of each, in the transaction of the act. */
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

/** `spaces` is a subquery of which each `space_id` gets an entry. */
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
    details: storedJson(details),
  }
}

/** A name need not be given; an entry says who it was all the same. */
function nameOf(actor: AuditEntry['actor']): string | undefined {
  return actor?.kind === 'account' ? actor.name || actor.email || '' : actor?.name
}

function actorId(actor: AuditEntry['actor']): string | null {
  if (actor === null) return null
  if (actor.kind === 'account') return actor.accountId
  if (actor.kind === 'operator') return null
  return actor.kind === 'token' ? actor.tokenId : (actor.askedBy ?? null)
}

/** What a use-case knows of its act and the edge does not. All of it is optional. */
export interface AuditNotes {
  /** What it turned out to be, where one call stands for several acts. */
  act?: AuditAct
  objectId?: string
  objectName?: string
  /** The object before and after: of its properties only those count that the contract names. */
  before?: object
  after?: object
  /** Of several objects; more are only counted. */
  ids?: string[]
  /** Further facts, short and not secret. */
  facts?: Record<string, string | number | boolean | null>
}

/** What is said of one act while it is under way. */
export interface AuditTrail {
  notes: AuditNotes
  /** Does anything belong into the entry already? */
  noted: boolean
  /** Nothing is to be written (any more). */
  settled: boolean
  /** The space that the caller was let into: refusals behind its door belong into its log. */
  scope: SpaceScope | null
  /**
   * Writes the entry in this transaction. For use-cases outside of spaces, which open their own; inside of spaces the edge
   * does it.
   */
  write(db: Db, scope: SpaceScope | null): Promise<void>
}

/** Says something of the present act; for nobody when no log is kept of it, as in jobs. */
export function noteAudit({ audit }: { audit?: AuditTrail }, notes: AuditNotes): void {
  if (!audit) return
  Object.assign(audit.notes, notes)
  audit.noted = true
}

/** The call turned out to change nothing: it leaves no entry. */
export function leaveNoAudit({ audit }: { audit?: AuditTrail }): void {
  if (audit) audit.settled = true
}

/** What differs, of these keys. Long values are cut, so that an entry stays one. */
export function changesOf(
  before: object | undefined,
  after: object | undefined,
  keys: readonly string[],
): AuditChange[] {
  const was = (before ?? {}) as Record<string, unknown>
  const is = (after ?? {}) as Record<string, unknown>
  return keys.flatMap((key) => {
    const change: AuditChange = {
      key,
      ...(was[key] == null ? {} : { before: shortened(was[key]) }),
      ...(is[key] == null ? {} : { after: shortened(is[key]) }),
    }
    return JSON.stringify(change.before) === JSON.stringify(change.after) ? [] : [change]
  })
}

function shortened(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'string') return line(value, longestValue)
  const texts = (_: string, inner: unknown) => (typeof inner === 'string' ? line(inner, longestValue) : inner)
  const json = line(JSON.stringify(value, texts), longestValue)
  return json.endsWith('…') ? json : JSON.parse(json)
}

/** Bulk answers as what an entry says of them. */
export function itemsOf(results: { _id?: unknown; success?: unknown }[]): AuditItems {
  return {
    count: results.length,
    failed: results.filter(({ success }) => success === false).length,
    ids: results
      .flatMap(({ _id }) => (typeof _id === 'string' ? [line(_id, 100)] : []))
      .slice(0, maximumAuditedItems),
  }
}
