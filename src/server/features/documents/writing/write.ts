import { accountOf, sourceOf } from '#server/access/actor.ts'
import type { AppContext } from '#server/access/context.ts'
import { requireQuota } from '#server/access/entitlements.ts'
import { inModel } from '#server/access/grants.ts'
import { isBehind, reservingFields } from '#server/content/conversion.ts'
import { uniqueValuesOf, writeDerived, writeUniqueValues } from '#server/content/derived.ts'
import { isUnique } from '#server/content/unique.ts'
import type { ModelRecord } from '#server/features/models/models.service.ts'
import * as models from '#server/features/models/models.service.ts'
import { recordEvents } from '#server/jobs/events.ts'
import { AppError } from '#shared/errors.ts'
import { valuesByUid } from '#shared/fields/document.ts'
import { allFields } from '#shared/fields/walk.ts'
import { canActOnDocument, type DocumentAction } from '#shared/permissions.ts'
import {
  type DocumentRecord,
  insertDocument,
  lockDocument,
  updateDocument,
} from '../store/documents.repository.ts'
import type { RevisionRecord } from '../store/revisions.repository.ts'
import { documentToWrite } from '../store/shape.ts'
import { isTooLarge } from '../values/input.ts'
import { type Check, findDuplicates, findIssues, type Targets } from '../values/rules.ts'

/*
 * The way to write a document: open the model (locked until the transaction ends), lock the document, check, store,
 * close. Locks are taken in the order model, documents, referenced documents, unique values, quota, counters.
 */

/** A model with resolved fields and the targets of its references. */
export type DocumentModel = ModelRecord & { targets: Targets }

/** An opened model, with the counters of the writes to it. */
export interface Session {
  ctx: AppContext
  model: DocumentModel
  /** The database's clock at the last lock, so that times follow the order of locks. */
  now: Date
  tally: { documents: number; published: number; writes: number }
}

/** Opens a model. `share`: the model is locked until the transaction ends. Throws 404 for an unknown model. */
export async function openModel(ctx: AppContext, uid: string, lock?: 'share'): Promise<Session> {
  const { modelIds: targets, openedAt, ...model } = await models.openModel(ctx, uid, lock)
  const fields = await models.resolveModelFields(ctx, model)
  return {
    // Since the request was authorised, the uid may have changed to another model.
    ctx: { ...ctx, grants: inModel(ctx.grants, model.publicId) },
    model: { ...model, fields, targets },
    now: openedAt,
    tally: { documents: 0, published: 0, writes: 0 },
  }
}

/** Updates the counters. Locks the model's counter row, so call it last. */
export async function closeModel({ ctx, model, tally }: Session): Promise<void> {
  if (tally.writes > 0) await models.countDocuments(ctx, model.scope, tally)
}

/** Locks the document for writing. Throws 404 if the model has no document with that id. */
export async function lock(
  session: Session,
  id: string,
  purpose: 'edit' | 'delete' | 'restore' = 'edit',
): Promise<DocumentRecord> {
  const { ctx, model } = session
  const locked = await lockDocument(ctx.db, model.scope, id, purpose)
  if (!locked) throw new AppError('NotFound')
  session.now = locked.lockedAt
  return documentToWrite(ctx.db, model, locked.document)
}

/** Returns the states of a stored document, whose references and assets may dangle. */
export const statesIn = (document: DocumentRecord | null | undefined) =>
  document ? [document.current, document.pub] : []

/** Throws 403 if the member may not perform the action. `document`: null for a new document. */
export function checkRight(ctx: AppContext, action: DocumentAction, document: DocumentRecord | null): void {
  const own =
    document === null || (document.createdBy !== null && document.createdBy === accountOf(ctx.actor))
  const published = document !== null && document.pub !== null
  if (!canActOnDocument(ctx.grants, action, { own, published })) throw new AppError('Forbidden')
}

export interface Candidate extends Pick<Check, 'values' | 'issues' | 'publish'> {
  /** null: a new document. */
  before: DocumentRecord | null
  /** The source of a copy. References that dangle in the source may dangle in the copy. */
  copyOf?: DocumentRecord | undefined
}

/**
 * Throws 413, or one 400 with all issues. When publishing, these include values that other published documents have.
 */
export async function checkCandidate(
  { ctx, model }: Session,
  { values, issues: unread, publish, before, copyOf }: Candidate,
): Promise<void> {
  if (isTooLarge(valuesByUid(model, values))) throw new AppError('RequestFileTooLarge')
  const known = statesIn(before ?? copyOf)
  const documentId = before?.id ?? null
  const check = { values, issues: unread, known, publish, documentId, store: true }
  const { issues } = await findIssues(ctx.db, model, check)
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
}

export interface WriteOptions {
  kind: RevisionRecord['kind']
  blind?: boolean
}

const eventOf = {
  create: 'document.created',
  save: 'document.saved',
  publish: 'document.published',
  unpublish: 'document.unpublished',
  delete: 'document.deleted',
  restore: 'document.restored',
} as const

/**
 * Stores the next state of a locked document with everything derived from it: row, revision, unique values, texts,
 * references, uses of assets, and event. Throws 400 if another published document has one of its unique values, and
 * `ContentQuotaExceeded`.
 */
export async function store(
  session: Session,
  before: DocumentRecord | null,
  state: DocumentRecord,
  { kind, blind = false }: WriteOptions,
): Promise<void> {
  const { ctx, model, tally } = session
  const next = { ...state, shape: model.version }
  const { db } = ctx
  const revision = { kind, source: sourceOf(ctx.actor), blind, createdBy: accountOf(ctx.actor) }
  await (before ? updateDocument : insertDocument)(db, model.scope, next, revision)
  await reserve(session, next)
  // If the stored values have an older shape, their derived rows cannot be computed from the converted values.
  const isKnown = !before || !isBehind(model, before.shape)
  const change = { id: next.id, ...statesOf(next), before: isKnown ? before && statesOf(before) : undefined }
  await writeDerived(db, model.scope, model, [change])
  const wasPublished = before !== null && before.pub !== null
  const payload = { version: next.version, publishedVersion: next.publishedVersion, wasPublished }
  const subject = {
    appId: model.scope.appId,
    modelId: model.scope.modelId,
    documentId: next.id,
    actor: ctx.actor,
  }
  const types = before || kind === 'create' ? [eventOf[kind]] : (['document.created', eventOf[kind]] as const)
  await recordEvents(
    db,
    model.scope,
    types.map((type) => ({ type, payload })),
    subject,
  )
  const added = countLive(next) - countLive(before)
  await requireQuota(ctx, 'documents', added, tally.documents)
  tally.documents += added
  tally.published += countPublished(next) - countPublished(before)
  tally.writes += 1
}

const countLive = (document: DocumentRecord | null) => (document && document.deletedAt === null ? 1 : 0)
const countPublished = (document: DocumentRecord | null) => (document?.pub ? 1 : 0)

async function reserve({ ctx, model }: Session, next: DocumentRecord): Promise<void> {
  // A write removes reservations of fields that are no longer unique, if the conversion has not removed them yet.
  if (!allFields(model.fields).some(isUnique) && reservingFields(model).size === 0) return
  const wanted = uniqueValuesOf(model.fields, next.deletedAt ? null : next.current, next.pub)
  const held = wanted.map((value) => ({ ...value, documentId: next.id }))
  const refused = (await writeUniqueValues(ctx.db, model.scope, [next.id], held)).map(
    ({ fieldId }) => fieldId,
  )
  if (refused.length === 0) return
  const { published } = await findDuplicates(ctx.db, model.scope, model.fields, next.pub ?? {}, next.id)
  throw new AppError('ValidationFailed', {
    issues:
      published.length > 0
        ? published
        : model.fields
            .filter((field) => allFields([field]).some(({ _id }) => refused.includes(_id)))
            .map((field) => ({ path: field.uid, code: 'DuplicatedValue' })),
  })
}

const statesOf = ({ current, pub, hasDraft }: DocumentRecord) => ({
  current,
  pub: pub && !hasDraft ? current : pub,
})
