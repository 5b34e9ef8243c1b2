import { sql } from 'kysely'
import { accountOf, sourceOf } from '#server/access/actor.ts'
import type { AppContext } from '#server/access/context.ts'
import { uniqueValuesOf, writeDerived, writeUniqueValues } from '#server/content/derived.ts'
import { isUnique } from '#server/content/unique.ts'
import { writingMuch } from '#server/db/scope.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { AppError } from '#shared/errors.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { allFields } from '#shared/fields/walk.ts'
import { type DocumentRecord, type EarlierRevision, insertDocuments } from './documents.repository.ts'
import { checkRight, closeModel, openModel, type Session } from './documents.write.ts'
import type { RevisionRecord } from './revisions.repository.ts'

/** A document that was written elsewhere, with its own `_id` and times. */
export interface ImportedDocument {
  id: string
  /** What readers of drafts see, by field `_id`. */
  current: StoredValues
  /** What is published; null: nothing is. The same object as `current` where both are the same. */
  pub: StoredValues | null
  customOrder: number | null
  createdAt: Date
  updatedAt: Date
  firstPublishedAt: Date | null
  publishedAt: Date | null
  /** When the published values last changed. */
  publishedUpdatedAt: Date | null
  /** What it was before, the oldest first, where that is known: the newest is `current`. */
  revisions?: ImportedRevision[]
}

export interface ImportedRevision {
  kind: RevisionRecord['kind']
  /** The same object as `current` or `pub` where it is one of these. */
  values: StoredValues
  at: Date
  by: NonNullable<EarlierRevision['by']>
  /** What is published is this one. */
  isPublished: boolean
}

/** What is imported in one transaction: no more documents, and fewer when they have more bytes. */
export const importBatch = { documents: 500, bytes: 4 * 1024 * 1024 }

/** The version that an imported document without revisions has. */
export const importedVersion = ({ current, pub }: Pick<ImportedDocument, 'current' | 'pub'>): number =>
  pub !== null && pub !== current ? 2 : 1

/** Gives the model as it stays until the transaction ends: values for {@link importDocuments} are made with its fields. */
export async function openForImport(ctx: AppContext, modelUid: string): Promise<Session> {
  await sql`SELECT ${writingMuch}`.execute(ctx.db)
  return openModel(ctx, modelUid, 'share')
}

/**
 * Writes new documents of one model with everything that follows from them, as `store` does for one: rows, revisions, texts,
 * references, uses of assets, unique values, counters. Values are taken as they are: what a save would refuse (a broken
 * rule, a reference to nothing) was let in where they come from. Readers of the outbox get one event for all of them.
 * Throws 403, and `ValuesRepeat` naming the fields when two documents are published with a value that must not repeat.
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
  await recordEvent(db, model.scope, 'documents.imported', { count: documents.length }, subject)
  tally.documents += documents.length
  tally.published += documents.filter(({ pub }) => pub).length
  tally.writes += documents.length
  await closeModel(session)
}

/** The row, and the revisions that its state presupposes: what is published, and behind it what was edited since. */
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
