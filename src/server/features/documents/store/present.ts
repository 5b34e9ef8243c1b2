import type { AppContext } from '#server/access/context.ts'
import type { DocumentRow } from '#server/content/read.ts'
import type { Db } from '#server/db/scope.ts'
import { Pace } from '#server/lib/pace.ts'
import type { Person } from '#shared/contract/documents.ts'
import { type StoredValues, type ValueModel, valuesByUid } from '#shared/fields/document.ts'
import { type DocumentRecord, findNames } from './documents.repository.ts'

/** A document in the form of the management API: `_id`, `_sys`, values by field uid. */
export interface Document {
  _id: string
  _sys: {
    version: number
    status: 'draft' | 'published' | 'changed'
    createdAt: string
    updatedAt: string
    firstPublishedAt: string | null
    publishedAt: string | null
    customOrder: number | null
    createdBy: Person | null
    updatedBy: Person | null
  }
  [uid: string]: unknown
}

/** Returns the person with an account id. null if the id is null. */
export function personOf(names: Map<string, string>, id: string | null): Person | null {
  return id === null ? null : { _id: id, name: names.get(id) ?? '' }
}

function present(model: ValueModel, id: string, sys: Document['_sys'], values: StoredValues): Document {
  return { ...valuesByUid(model, values), _id: id, _sys: sys }
}

export const statusOf = (document: DocumentRecord) => {
  if (!document.pub) return 'draft'
  return document.hasDraft ? 'changed' : 'published'
}

/** Presents a document in its current state. */
export async function presentOne(
  { db, actor }: Pick<AppContext, 'db' | 'actor'>,
  model: ValueModel,
  document: DocumentRecord,
): Promise<Document> {
  const people = [document.createdBy, document.updatedBy]
  // Usually the caller is the author, so no query is needed.
  const own = actor.kind === 'account' ? actor.accountId : null
  const names = await findNames(
    db,
    people.filter((id) => id !== own),
  )
  if (actor.kind === 'account') names.set(actor.accountId, actor.name)
  const sys = {
    version: document.version,
    status: statusOf(document),
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
    firstPublishedAt: document.firstPublishedAt?.toISOString() ?? null,
    publishedAt: document.publishedAt?.toISOString() ?? null,
    customOrder: document.customOrder,
    createdBy: personOf(names, document.createdBy),
    updatedBy: personOf(names, document.updatedBy),
  } as const
  return present(model, document.id, sys, document.current)
}

/**
 * Presents rows that were read with `managed: true`. Loads all names in one query. Lets other tasks run between rows,
 * because presenting a row parses its values.
 */
export async function presentRows(db: Db, model: ValueModel, rows: DocumentRow[]): Promise<Document[]> {
  const people = rows.flatMap(({ managed }) => [managed?.createdBy ?? null, managed?.updatedBy ?? null])
  const names = await findNames(db, people)
  const pace = new Pace()
  const documents: Document[] = []
  for (const row of rows) {
    const { managed } = row
    const sys = {
      version: managed?.version ?? 0,
      status: managed?.status ?? 'draft',
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      firstPublishedAt: row.firstPublishedAt,
      publishedAt: row.publishedAt,
      customOrder: row.customOrder,
      createdBy: personOf(names, managed?.createdBy ?? null),
      updatedBy: personOf(names, managed?.updatedBy ?? null),
    } as const
    documents.push(present(model, row.id, sys, row.values))
    await pace.giveWay()
  }
  return documents
}
