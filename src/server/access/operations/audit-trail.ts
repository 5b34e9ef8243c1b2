import type { Db, SpaceScope } from '#server/db/scope.ts'
import { createMinuteLimit } from '#server/lib/event-limit.ts'
import type { AuditAct, AuditDetails, AuditExpectation, AuditObject } from '#shared/audit.ts'
import { type Endpoint, readsCookies } from '#shared/contract/endpoint.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { type Actor, accountOf, calledOf, keyOwnerOf } from '../actor.ts'
import { sourceOf } from '../attempts.ts'
import {
  type AuditEntry,
  type AuditNotes,
  type AuditTrail,
  changesOf,
  itemsOf,
  writeAudit,
  writeAuditOfMember,
} from '../audit.ts'
import type { CallOrigin } from '../call-origin.ts'

/** Error codes of refusals that are recorded, because admins of a space need to see them. */
const telling: ReadonlySet<ErrorCode> = new Set([
  'Forbidden',
  'IpAddressNotAllowed',
  'TokenIsReadOnly',
  'IncorrectPassword',
  'IncorrectCode',
  'PasskeyIsNotValid',
  'InvalidInvitationCode',
  'ChangingOwnRole',
  'OtherAdminMembersNotExist',
  'SsoExemptAdminIsNeeded',
])

/**
 * Returns whether a public endpoint refused a call with 429: a limit on attempts, or too many passwords waiting to be
 * hashed. Inside spaces, 429 mostly means that work has to wait, so it is not recorded there.
 */
const isThrottled = (code: ErrorCode, { permission }: Endpoint) =>
  code === 'TooManyRequests' && permission === 'public'

/** Error codes of failed guesses. They are also recorded outside of spaces, at endpoints for signed-in accounts. */
const guesses: ReadonlySet<ErrorCode> = new Set(['IncorrectPassword', 'IncorrectCode', 'PasskeyIsNotValid'])

/**
 * Acts that sign an account in, or change how it signs in. They are recorded in the installation's log and in the
 * spaces that the account is a member of ({@link writeAuditOfMember}).
 */
const ofSignIns: ReadonlySet<AuditAct> = new Set([
  'account.login',
  'account.changePassword',
  'account.resetPassword',
  'account.confirmEmail',
  'account.enableSecondFactor',
  'account.disableSecondFactor',
  'account.addPasskey',
  'account.resetSecondFactor',
  'account.deletePasskey',
  'account.renewRecoveryCodes',
])

/**
 * Limits the recorded refusals to 30 per minute in this process: per account or token, or per source if the caller has
 * neither. Otherwise one caller could flood the log.
 */
const told = createMinuteLimit(30)

interface Call {
  endpoint: Endpoint
  params: Record<string, string>
  /** null: the caller sends no request. */
  origin: CallOrigin | null
}

/**
 * Collects and writes the audit entry of one operation. It is built from the contract, the path and the response.
 * Use-cases add details that only they have (access/audit.ts).
 */
export class OperationTrail implements AuditTrail {
  notes: AuditNotes = {}
  noted = false
  actor: Actor | null = null
  scope: SpaceScope | null = null
  settled: boolean
  private readonly expectation: AuditExpectation | null
  private readonly endpoint: Endpoint
  private readonly params: Record<string, string | undefined>
  private readonly source: { ip: string | null; agent: string | null }

  constructor({ endpoint, params, origin }: Call) {
    this.endpoint = endpoint
    this.params = params
    this.source = { ip: origin?.ip ?? null, agent: origin?.agent ?? null }
    this.expectation = endpoint.audit && 'act' in endpoint.audit ? endpoint.audit : null
    this.settled = this.expectation === null
  }

  async write(db: Db, scope: SpaceScope | null): Promise<void> {
    this.settled = false
    await this.writeDone(db, scope, undefined)
    this.settled = true
  }

  /** Writes the entry of a successful act. `answer`: the response. */
  async writeDone(db: Db, scope: SpaceScope | null, answer: unknown): Promise<void> {
    const { expectation, notes } = this
    if (!expectation || this.settled) return
    const body = isRecord(answer) ? answer : {}
    const answered = expectation.of === undefined ? undefined : body[expectation.of]
    const object = isRecord(answered) ? answered : undefined
    const act = notes.act ?? expectation.act
    const kind = kindOf({ act })
    const after = notes.after ?? (object && { ...object, ...systemOf(object) })
    const changes = changesOf(notes.before, after, expectation.shows ?? [])
    const details: AuditDetails = {
      ...(changes.length > 0 ? { changes } : {}),
      ...itemsOfCall(notes.ids, body.results),
      ...this.place(),
      ...notes.facts,
    }
    const id = notes.objectId ?? idOf(object) ?? this.idOfPath()
    const account = this.actor?.kind === 'account' ? this.actor : null
    const isOwn = kind === 'account' && (id === null || id === account?.accountId)
    const name = notes.objectName ?? nameOf(object) ?? (isOwn && account ? calledOf(account) : null)
    // For a sign-in or sign-up, only the response contains the account.
    const actor =
      this.actor ??
      (kind === 'account' && id !== null
        ? ({ kind: 'account', accountId: id, name: name ?? '' } as const)
        : null)
    const entry: AuditEntry = {
      act,
      outcome: 'done',
      actor,
      ...this.source,
      object: { kind, id, name },
      details,
    }
    await writeAudit(db, scope, entry)
    if (scope === null && id !== null && ofSignIns.has(entry.act)) await writeAuditOfMember(db, id, entry)
  }

  /** Writes the entry of a relevant refusal on a separate connection, because the transaction was rolled back. */
  async writeRefusal(db: Db, error: unknown): Promise<void> {
    if (!(error instanceof AppError)) return
    if (!telling.has(error.code) && !isThrottled(error.code, this.endpoint)) return
    const { permission } = this.endpoint
    const isOutside = permission === 'public' || permission === 'admin'
    if (!this.scope && !isOutside && !guesses.has(error.code)) return
    // Clients also send signed addresses that have expired.
    if (!this.scope && !readsCookies(this.endpoint)) return
    const account = this.actor && accountOf(this.actor)
    const caller = this.actor && keyOwnerOf(this.actor)
    if (!told.allows(caller ?? (this.source.ip === null ? '' : sourceOf(this.source.ip)))) return
    const { notes, expectation } = this
    const act = expectation?.act ?? (this.endpoint.caller === 'directory' ? 'scim.request' : 'space.request')
    const entry: AuditEntry = {
      act,
      outcome: error.code,
      actor: this.actor,
      ...this.source,
      object: {
        kind: kindOf({ act }),
        id: notes.objectId ?? this.idOfPath(),
        name: notes.objectName ?? null,
      },
      details: { route: this.endpoint.route, ...this.place() },
    }
    await writeAudit(db, this.scope, entry)
    // The refused call tried to get access to this account, so the spaces of the account record it too.
    const attacked = notes.objectId ?? (guesses.has(error.code) ? account : null)
    if (entry.object.kind === 'account' && attacked) await writeAuditOfMember(db, attacked, entry)
  }

  private place(): AuditDetails {
    const { a, m } = this.params
    return {
      ...(a === undefined ? {} : { app: a.slice(0, 64) }),
      ...(m === undefined ? {} : { model: m.slice(0, 64) }),
    }
  }

  private idOfPath(): string | null {
    const { id, m, a } = this.params
    return (id ?? m ?? a ?? null)?.slice(0, 64) ?? null
  }
}

const kindOf = ({ act }: Pick<AuditExpectation, 'act'>) => act.slice(0, act.indexOf('.')) as AuditObject

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

const idOf = (object: Record<string, unknown> | undefined) => text(object?._id) ?? text(object?.uid)

const nameOf = (object: Record<string, unknown> | undefined) =>
  text(object?.name) ?? text(object?.fileName) ?? text(object?.email) ?? text(object?.uid)

const systemOf = ({ _sys: sys }: Record<string, unknown>) =>
  isRecord(sys) ? { version: sys.version, status: sys.status } : {}

/** Copies the id of an asset to the top level, because upload results contain the asset as a property. */
const flattened = (result: unknown) => {
  if (!isRecord(result)) return {}
  return { ...result, _id: result._id ?? (isRecord(result.asset) ? result.asset._id : undefined) }
}

function itemsOfCall(ids: string[] | undefined, results: unknown): AuditDetails {
  if (ids) return { items: itemsOf(ids.map((_id) => ({ _id }))) }
  return Array.isArray(results) ? { items: itemsOf(results.map(flattened)) } : {}
}
