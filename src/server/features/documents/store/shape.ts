import { follow, isBehind, takenBack } from '#server/content/conversion.ts'
import type { Db } from '#server/db/scope.ts'
import { findKept, keepValues, type ModelRecord } from '#server/features/models/models.service.ts'
import { type DocumentRecord, findDocument } from './documents.repository.ts'

type Model = Pick<ModelRecord, 'scope' | 'conversions'>

/** Returns a stored document with its values converted to the current fields of the model. */
export async function documentInNewestShape(
  db: Db,
  model: Model,
  document: DocumentRecord,
): Promise<DocumentRecord> {
  return (await followModel(db, model, document)).document
}

/** Returns a document outside the trash, like {@link documentInNewestShape}. null: no such document. */
export async function findInNewestShape(db: Db, model: Model, id: string): Promise<DocumentRecord | null> {
  const document = await findDocument(db, model.scope, id)
  return document ? documentInNewestShape(db, model, document) : null
}

/**
 * Converts a locked document that will be written, like {@link documentInNewestShape}. Its previous values are stored,
 * so that the change of the model can be undone.
 */
export async function documentToWrite(db: Db, model: Model, stored: DocumentRecord): Promise<DocumentRecord> {
  const { document, before } = await followModel(db, model, stored)
  await keepValues(
    db,
    model.scope,
    before.map((values) => ({ ...values, documentId: document.id })),
  )
  return document
}

async function followModel(db: Db, model: Model, stored: DocumentRecord) {
  const { id, shape, version, current, hasDraft, pub } = stored
  if (!isBehind(model, shape)) return { document: stored, before: [] }
  const kept = await findKept(db, model.scope, takenBack(model), [id])
  const states = { shape, version, draft: hasDraft ? current : null, pub }
  const { document, before } = await follow(model, states, kept.get(id))
  return {
    document: {
      ...stored,
      current: document.draft ?? document.pub ?? {},
      pub: document.pub,
      hasDraft: document.draft !== null,
    },
    before,
  }
}
