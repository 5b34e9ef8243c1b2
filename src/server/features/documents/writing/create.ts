import { accountOf } from '#server/access/actor.ts'
import { writeAudit } from '#server/access/audit.ts'
import type { AppContext } from '#server/access/context.ts'
import { newId } from '#server/lib/ids.ts'
import { titleOf } from '#shared/fields/document.ts'
import type { DocumentRecord } from '../store/documents.repository.ts'
import { type Document, presentOne } from '../store/present.ts'
import { readBody, readGiven } from '../values/input.ts'
import { note } from './audit.ts'
import { copyValues } from './copy-values.ts'
import { checkReadOnly, withoutReadOnly } from './read-only.ts'
import {
  type Candidate,
  checkCandidate,
  checkRight,
  closeModel,
  openModel,
  type Session,
  store,
} from './write.ts'

export type SaveType = 'SAVE' | 'PUBLISH' | 'DUPLICATE'

export interface NewDocument {
  /** Values by field uid. */
  document: Record<string, unknown>
  type?: SaveType
  /** Times of the new document. `createdAt` defaults to now, and `publishedAt` to `createdAt`. */
  createdAt?: Date
  publishedAt?: Date
}

/** Creates a document. Throws 400 with all issues, 403, 404 (model), 413. */
export async function createDocument(
  ctx: AppContext,
  modelUid: string,
  { document, type = 'SAVE', createdAt, publishedAt }: NewDocument,
): Promise<Document> {
  const session = await openModel(ctx, modelUid, 'share')
  const { values: raw } = readBody(document, 'document')
  const { values, issues } = await readGiven(session.model, {}, raw)
  return create(session, { values, issues, type, createdAt, publishedAt })
}

interface Creation extends Pick<Candidate, 'values' | 'issues' | 'copyOf'> {
  type: SaveType
  createdAt?: Date | undefined
  publishedAt?: Date | undefined
}

/** Creates a document, or a copy of `copyOf`. Throws 400, 403, 413. */
export async function create(session: Session, creation: Creation): Promise<Document> {
  const { ctx } = session
  const { type, issues, copyOf } = creation
  const publish = type === 'PUBLISH'
  checkRight(ctx, 'create', null)
  if (publish) checkRight(ctx, 'publish', null)
  const values =
    type === 'DUPLICATE'
      ? await copyValues(session, withoutReadOnly(session, creation.values))
      : creation.values
  checkReadOnly(session, null, values)
  await checkCandidate(session, { values, issues, before: null, copyOf, publish })
  const createdAt = creation.createdAt ?? session.now
  const publishedAt = publish ? (creation.publishedAt ?? createdAt) : null
  const document: DocumentRecord = {
    id: newId(),
    version: 1,
    shape: session.model.version,
    current: values,
    hasDraft: !publish,
    pub: publish ? values : null,
    publishedVersion: publish ? 1 : null,
    customOrder: null,
    createdAt,
    updatedAt: createdAt,
    firstPublishedAt: publishedAt,
    publishedAt,
    publishedUpdatedAt: publish ? createdAt : null,
    deletedAt: null,
    trashedPublication: null,
    createdBy: accountOf(ctx.actor),
    updatedBy: accountOf(ctx.actor),
  }
  if (publish) await writeCreation(session, document)
  note(session, publish ? 'document.publish' : 'document.create', null, document)
  await store(session, null, document, { kind: publish ? 'publish' : 'create' })
  await closeModel(session)
  return presentOne(ctx, session.model, document)
}

/**
 * Writes the audit entry for the creation of a document that is created and published in one request. It precedes the
 * entry for the publication.
 */
async function writeCreation(
  { ctx, model }: Session,
  { id, version, current }: DocumentRecord,
): Promise<void> {
  if (!ctx.audit) return
  await writeAudit(ctx.db, ctx.scope, {
    act: 'document.create',
    outcome: 'done',
    actor: ctx.actor,
    ...ctx.origin,
    object: { kind: 'document', id, name: titleOf(model, current) },
    details: { changes: [{ key: 'version', after: version }], app: ctx.app.uid, model: model.uid },
  })
}
