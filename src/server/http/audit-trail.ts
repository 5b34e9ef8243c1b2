import type { FastifyRequest } from 'fastify'
import { type AccountActor, calledOf } from '#server/access/actor.ts'
import { sourceOf } from '#server/access/attempts.ts'
import {
  type AuditEntry,
  type AuditNotes,
  type AuditTrail,
  changesOf,
  itemsOf,
  writeAudit,
  writeAuditOfMember,
} from '#server/access/audit.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { createMinuteLimit } from '#server/lib/event-limit.ts'
import type { AuditAct, AuditDetails, AuditExpectation, AuditObject } from '#shared/audit.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'

/*
 * The HTTP layer's part of the audit log. An entry is built from a call's contract, path and response. Use-cases add
 * details that only they have (access/audit.ts).
 */

/** Error codes of refusals that are recorded, because admins of a space need to see them. */
const telling: ReadonlySet<ErrorCode> = new Set([
  'Forbidden',
  'IpAddressNotAllowed',
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
 * Limits the recorded refusals to 30 per minute in this process: per account, or per source if the caller has no
 * account. Otherwise one caller could flood the log.
 */
const told = createMinuteLimit(30)

/** Collects and writes the audit entry of one call. */
export class CallTrail implements AuditTrail {
  notes: AuditNotes = {}
  noted = false
  actor: AccountActor | null = null
  scope: SpaceScope | null = null
  settled: boolean
  private readonly expectation: AuditExpectation | null
  private readonly endpoint: Endpoint
  private readonly request: FastifyRequest

  constructor(endpoint: Endpoint, request: FastifyRequest) {
    this.endpoint = endpoint
    this.request = request
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
    const isOwn = kind === 'account' && (id === null || id === this.actor?.accountId)
    const name = notes.objectName ?? nameOf(object) ?? (isOwn && this.actor ? calledOf(this.actor) : null)
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
      ip: this.request.ip,
      agent: this.request.headers['user-agent'] ?? null,
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
    if (!told.allows(this.actor?.accountId ?? sourceOf(this.request.ip))) return
    const { notes, expectation } = this
    const entry: AuditEntry = {
      act: expectation?.act ?? 'space.request',
      outcome: error.code,
      actor: this.actor,
      ip: this.request.ip,
      agent: this.request.headers['user-agent'] ?? null,
      object: {
        kind: expectation ? kindOf(expectation) : 'space',
        id: notes.objectId ?? this.idOfPath(),
        name: notes.objectName ?? null,
      },
      details: { route: this.endpoint.route, ...this.place() },
    }
    await writeAudit(db, this.scope, entry)
    // The refused call tried to get access to this account, so the spaces of the account record it too.
    const account = notes.objectId ?? (guesses.has(error.code) ? this.actor?.accountId : undefined)
    if (entry.object.kind === 'account' && account) await writeAuditOfMember(db, account, entry)
  }

  private place(): AuditDetails {
    const { a, m } = this.request.params as Record<string, string | undefined>
    return {
      ...(a === undefined ? {} : { app: a.slice(0, 64) }),
      ...(m === undefined ? {} : { model: m.slice(0, 64) }),
    }
  }

  private idOfPath(): string | null {
    const { id, m, a } = this.request.params as Record<string, string | undefined>
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
