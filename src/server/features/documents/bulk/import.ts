import { accountOf, sourceOf } from '#server/access/actor.ts'
import type { AppContext } from '#server/access/context.ts'
import { requireQuota } from '#server/access/entitlements.ts'
import { uniqueValuesOf, writeDerived, writeUniqueValues } from '#server/content/derived.ts'
import { isUnique } from '#server/content/unique.ts'
import { expectManyWrites } from '#server/db/scope.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { AppError } from '#shared/errors.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { allFields } from '#shared/fields/walk.ts'
import { type DocumentRecord, type EarlierRevision, insertDocuments } from '../store/documents.repository.ts'
import type { RevisionRecord } from '../store/revisions.repository.ts'
import { checkRight, closeModel, openModel, type Session } from '../writing/write.ts'

/** A document from another source, with its own `_id` and times. */
export interface ImportedDocument {
  id: string
  /** Draft values by field `_id`. */
  current: StoredValues
  /** Published values; null: not published. The same object as `current` if both are equal. */
  pub: StoredValues | null
  customOrder: number | null
  createdAt: Date
  updatedAt: Date
  firstPublishedAt: Date | null
  publishedAt: Date | null
  /** Time of the last change of the published values. */
  publishedUpdatedAt: Date | null
  /** All revisions if they are known, oldest first; the last one is `current`. */
  revisions?: ImportedRevision[]
}

export interface ImportedRevision {
  kind: RevisionRecord['kind']
  /** The same object as `current` or `pub` if it equals one of these. */
  values: StoredValues
  at: Date
  by: NonNullable<EarlierRevision['by']>
  isPublished: boolean
}

/** Limits of one transaction: number of documents, and bytes. */
export const importBatch = { documents: 500, bytes: 4 * 1024 * 1024 }

/** Returns the version of an imported document without revisions. */
export const importedVersion = ({ current, pub }: Pick<ImportedDocument, 'current' | 'pub'>): number =>
  pub !== null && pub !== current ? 2 : 1

/**
 * Opens the model, locked until the transaction ends, so that the caller can build values for {@link importDocuments}
 * with its fields.
 */
export async function openForImport(ctx: AppContext, modelUid: string): Promise<Session> {
  await expectManyWrites(ctx.db)
  return openModel(ctx, modelUid, 'share')
}

/**
 * Writes new documents of one model with everything derived from them, like `store` does for one document. This
 * includes rows, revisions, texts, references, uses of assets, unique values, and counters. Records one event that
 * lists all documents. Values are not validated, because their source accepted them: they may break rules or contain
 * dangling references.
 *
 * Throws 403 (also `ContentQuotaExceeded`), and `ValuesRepeat` with the uids of the fields if another published
 * document has the same unique value.
 */
export async function importDocuments(
  session: Session,
  documents: readonly ImportedDocument[],
): Promise<void> {
  const { ctx, model, tally } = session
  const { db } = ctx
  if (documents.length === 0) return
  checkRight(ctx, 'create', null)
  checkRight(ctx, 'publish', null)
  const createdBy = accountOf(ctx.actor)
  const made = documents.map((document) => recordOf(document, model.version, createdBy))
  await insertDocuments(db, model.scope, made, { source: sourceOf(ctx.actor), createdBy })
  await reserve(session, documents)
  const changes = documents.map(({ id, current, pub }) => ({ id, current, pub, before: null }))
  await writeDerived(db, model.scope, model, changes)
  const { appId, modelId } = model.scope
  const subject = { appId, modelId, actor: ctx.actor }
  const imported = made.map(({ document: { id, version, publishedVersion } }) => ({
    id,
    version,
    publishedVersion,
  }))
  await recordEvent(db, model.scope, 'documents.imported', { documents: imported }, subject)
  await requireQuota(ctx, 'documents', documents.length, tally.documents)
  tally.documents += documents.length
  tally.published += documents.filter(({ pub }) => pub).length
  tally.writes += documents.length
  await closeModel(session)
}

/**
 * Returns the row and its revisions. If the revisions are not known, creates one for the published values, if any, and
 * one for the draft, if it differs from them.
 */
function recordOf(
  { id, current, pub, customOrder, revisions: known, ...times }: ImportedDocument,
  shape: number,
  by: string | null,
): { document: DocumentRecord; revisions: EarlierRevision[] } {
  const edited = pub !== null && pub !== current
  const { publishedAt, updatedAt } = times
  const revisions: EarlierRevision[] = known?.map((one, index) => ({ ...one, version: index + 1 })) ?? []
  const published = known ? known.findIndex(({ isPublished }) => isPublished) + 1 : 1
  if (!known) addPresupposed()
  const document: DocumentRecord = {
    id,
    version: revisions.length,
    shape,
    current,
    hasDraft: pub === null || edited,
    pub,
    publishedVersion: pub ? published : null,
    customOrder,
    ...times,
    deletedAt: null,
    trashedPublication: null,
    createdBy: by,
    updatedBy: by,
  }
  return { document, revisions }

  function addPresupposed(): void {
    if (pub) revisions.push({ version: 1, kind: 'publish', values: pub, at: publishedAt ?? updatedAt })
    if (!pub || edited)
      revisions.push({
        version: edited ? 2 : 1,
        kind: pub ? 'save' : 'create',
        values: current,
        at: updatedAt,
      })
  }
}

async function reserve({ ctx, model }: Session, documents: readonly ImportedDocument[]): Promise<void> {
  if (!allFields(model.fields).some(isUnique)) return
  const wanted = documents.flatMap(({ id, current, pub }) =>
    uniqueValuesOf(model.fields, current, pub).map((value) => ({ ...value, documentId: id })),
  )
  const ids = documents.map(({ id }) => id)
  const refused = new Set(
    (await writeUniqueValues(ctx.db, model.scope, ids, wanted, { areNew: true })).map(
      ({ fieldId }) => fieldId,
    ),
  )
  if (refused.size > 0)
    throw new AppError('ValuesRepeat', {
      details: {
        model: model.uid,
        fields: allFields(model.fields).flatMap(({ _id, uid }) => (refused.has(_id) ? uid : [])),
      },
    })
}
