import type { AppContext, ServerContext } from '#server/access/context.ts'
import { readsModelOf } from '#server/access/grants.ts'
import { inNewestShape } from '#server/content/conversion.ts'
import { usesOf } from '#server/content/field-indexes/uses.ts'
import type { ContentModel } from '#server/content/model.ts'
import { presentDocument } from '#server/content/present.ts'
import { badQuery } from '#server/content/query/bad-query.ts'
import { isExpensive, managementList, oneDocument, parseQuery } from '#server/content/query/parse.ts'
import type { Stage } from '#server/content/query/sql.ts'
import type { ParsedQuery } from '#server/content/query/tree.ts'
import {
  AnswerTooLarge,
  type DocumentRow,
  fromKysely,
  selectDocument,
  selectDocuments,
} from '#server/content/read.ts'
import { loadSpace } from '#server/content/registry.ts'
import type { KnownIndexes } from '#server/db/field-indexes.ts'
import { hasState } from '#server/db/sql-states.ts'
import { modelsByUid, requireModel, resolveModelFields } from '#server/features/models/models.service.ts'
import { createGate } from '#server/lib/gate.ts'
import { countedTo } from '#shared/contract/common.ts'
import type { Person } from '#shared/contract/documents.ts'
import { AppError } from '#shared/errors.ts'
import { titleOf, valuesByUid } from '#shared/fields/document.ts'
import { findChangeAuthors } from '../store/authors.ts'
import type { DocumentRecord } from '../store/documents.repository.ts'
import * as documents from '../store/documents.repository.ts'
import { type Document, personOf, presentOne, presentRows } from '../store/present.ts'
import { listReferrers } from '../store/referred.repository.ts'
import * as revisions from '../store/revisions.repository.ts'
import { findInNewestShape } from '../store/shape.ts'
import { checkId, readRevision } from '../values/input.ts'
import { type LeftValue, leftValues } from './left-values.ts'

/** Loads the model for the query language. Throws 404. */
export async function contentModel(ctx: AppContext, modelUid: string): Promise<ContentModel> {
  const space = await loadSpace(fromKysely(ctx.db), ctx.scope.spaceId)
  const models = space?.apps.get(ctx.app.uid)?.models
  // Models that the caller may not read are removed, so that neither references nor filters reach them.
  for (const [uid, { publicId }] of models ?? []) if (!readsModelOf(ctx.grants, publicId)) models?.delete(uid)
  const model = models?.get(modelUid)
  if (!model) throw new AppError('NotFound')
  return model
}

const tooManyRequests = (cause?: unknown) =>
  new AppError('TooManyRequests', { headers: { 'retry-after': '1' }, cause })
/**
 * Limits concurrent expensive queries to 2 per process. Further queries are refused without waiting, because each
 * waiting query would occupy a connection.
 */
const gate = createGate({ active: 2, waiting: 0, refusal: tooManyRequests })

/**
 * Returns the documents that a raw query string selects, 50 without `limit`. `indexes` records the fields in filters
 * and orders. Throws 400 `InvalidQueryParameter`, 404, and 429 if the query exceeds its time limit or the limit of
 * concurrent expensive queries.
 */
export async function listDocuments(
  ctx: AppContext,
  modelUid: string,
  queryString: string,
  indexes?: KnownIndexes,
): Promise<{ documents: Document[]; total: number; isMore: boolean; skip: number; limit: number }> {
  const model = await contentModel(ctx, modelUid)
  const query = parseQuery(queryString, model, managementList)
  indexes?.note(usesOf(model, 'current', query))
  const options = { model, stage: 'current', query, managed: true, countTo: countedTo, indexes } as const
  const { rows, total, isMore } = await bounded(ctx, query, () =>
    selectDocuments(fromKysely(ctx.db), options).catch(whenTooLarge('limit')),
  )
  const { skip, limit } = query
  return { documents: await presentRows(ctx.db, model, rows), total, isMore, skip, limit }
}

/**
 * Runs the query of a list. Throws 429 if the query exceeds its time limit or the limit of concurrent expensive
 * queries.
 */
export function bounded<T>(ctx: AppContext, query: ParsedQuery, select: () => Promise<T>): Promise<T> {
  const run = () => select().catch(whenCut)
  return isExpensive(query) ? gate.run({ line: ctx.scope.spaceId }, run) : run()
}

/**
 * For `.catch()`: converts the error of a list that PostgreSQL cancelled to a 429, because the list may succeed later.
 */
function whenCut(error: unknown): never {
  if (hasState(error, 'queryCanceled')) throw tooManyRequests(error)
  throw error
}

/** For `.catch()`: converts the error of a response that is too large to a 400 with the parameter to reduce. */
function whenTooLarge(parameter: 'limit' | 'depth'): (error: unknown) => never {
  return (error) => {
    if (error instanceof AnswerTooLarge) throw badQuery(parameter, 'the answer would be too large')
    throw error
  }
}

/** Returns a document. Throws 400 for an invalid id, and 404. */
export async function getDocument(ctx: AppContext, modelUid: string, id: string): Promise<Document> {
  const { model, document } = await requireDocument(ctx, modelUid, id)
  return presentOne(ctx, model, document)
}

async function requireDocument(ctx: AppContext, modelUid: string, id: string) {
  checkId(id)
  const stored = await requireModel(ctx, modelUid)
  const model = { ...stored, fields: await resolveModelFields(ctx, stored) }
  const document = await findInNewestShape(ctx.db, model, id)
  if (!document) throw new AppError('NotFound')
  return { model, document }
}

/** `published`: what sites show. `draft`: the current state, which previews show: the draft, or the published state. */
type DeliveryStage = 'published' | 'draft'

/**
 * Returns a document as the delivery API returns it. Works in requests and in jobs. References are expanded up to
 * `depth`, in the same stage and only to models that the caller may read.
 *
 * Throws 400 for an invalid id or a result that is too large, and 404 for an unknown or unpublished document.
 */
export async function readDocument(
  ctx: AppContext,
  modelUid: string,
  id: string,
  stage: DeliveryStage,
  { depth = 1 }: { depth?: number } = {},
): Promise<DeliveredDocument> {
  checkId(id)
  const model = await contentModel(ctx, modelUid)
  const state = stage === 'draft' ? 'current' : stage
  const row = await selectDocument(fromKysely(ctx.db), { model, stage: state, id })
  if (!row) throw new AppError('NotFound')
  const shown = { model, stage: state, query: `depth=${depth}` } as const
  return presentForSites(ctx, row, shown).catch(whenTooLarge('depth'))
}

type DeliveredDocument = Awaited<ReturnType<typeof presentDocument>>

/**
 * Presents a row as the delivery API does, with the parameters of a query string. Throws `AnswerTooLarge`, and a 400 if
 * too many contents or assets would have to be loaded.
 */
export async function presentForSites(
  { db, services }: ServerContext,
  row: DocumentRow,
  { model, stage, query }: { model: ContentModel; stage: Stage; query: string },
): Promise<DeliveredDocument> {
  const parsed = parseQuery(query, model, oneDocument)
  return presentDocument(fromKysely(db), row, { model, stage, query: parsed, host: services.config })
}

type Revision = Omit<revisions.RevisionRecord, 'createdBy' | 'author'> & {
  published: boolean
  createdBy: Person | null
  author: string | null
}

/** Returns revisions, newest first, only those below the version `before` if it is set. Throws 400 and 404. */
export async function listRevisions(
  ctx: AppContext,
  modelUid: string,
  id: string,
  part: { limit: number; before?: number | undefined },
): Promise<Revision[]> {
  const { model, document } = await requireDocument(ctx, modelUid, id)
  const found = await revisions.listRevisions(ctx.db, model.scope, id, part)
  const names = await documents.findNames(
    ctx.db,
    found.map((revision) => revision.createdBy),
  )
  return found.map((revision) => presentRevision(revision, document, names))
}

/**
 * Returns the authors of changes to these fields (uids, separated by commas) after version `since`. Throws 400, 404,
 * and 429 if the limit of concurrent expensive queries is reached.
 */
export async function listChangeAuthors(
  ctx: AppContext,
  modelUid: string,
  id: string,
  { since, fields }: { since: number; fields: string },
): Promise<(Person | null)[]> {
  const { model } = await requireDocument(ctx, modelUid, id)
  const changes = { documentId: id, since, paths: fields.split(',') }
  return gate.run({ line: ctx.scope.spaceId }, () => findChangeAuthors(ctx, model, changes))
}

/**
 * Returns a revision by its version, or `latest`. Its values are by uid, as far as they fit the current fields; `left`
 * contains the values that do not fit. Throws 400 and 404.
 */
export async function getRevision(
  ctx: AppContext,
  modelUid: string,
  id: string,
  name: string,
): Promise<Revision & { values: Record<string, unknown>; left: LeftValue[] }> {
  const { model, document } = await requireDocument(ctx, modelUid, id)
  const version = name === 'latest' ? document.version : /^[1-9]\d{0,8}$/.test(name) ? Number(name) : 0
  const revision = await revisions.findRevision(ctx.db, model.scope, id, version)
  if (!revision) throw new AppError('NotFound')
  const read = await readRevision(model, revision.values)
  const names = await documents.findNames(ctx.db, [revision.createdBy])
  return {
    ...presentRevision(revision, document, names),
    values: valuesByUid(model, read),
    left: leftValues(model, revision.values, read),
  }
}

const presentRevision = (
  { version, kind, source, createdAt, createdBy, author }: revisions.RevisionRecord,
  { publishedVersion }: Pick<DocumentRecord, 'publishedVersion'>,
  names: Map<string, string>,
): Revision => ({
  version,
  published: version === publishedVersion,
  kind,
  source,
  createdAt,
  createdBy: personOf(names, createdBy),
  author: author?.name ?? null,
})

/**
 * Returns the documents that refer to this one and that the caller may read: the first 100, and the total. Throws 400
 * and 404.
 */
export async function listReferences(ctx: AppContext, modelUid: string, id: string) {
  const { model } = await requireDocument(ctx, modelUid, id)
  const models = await modelsByUid(ctx)
  const readable = [...models.values()].filter(({ publicId }) => readsModelOf(ctx.grants, publicId))
  const ids = readable.map(({ scope }) => scope.modelId)
  const { referrers, total } = await listReferrers(ctx.db, model.scope, id, ids, 100)
  const references = referrers.map(async ({ id: _id, modelUid: uid, shape, title, published }) => {
    const referring = models.get(uid)
    const shown = referring ? titleOf(referring, await inNewestShape(referring, shape, title)) : ''
    return { _id, modelUid: uid, title: shown, published }
  })
  return { references: await Promise.all(references), total }
}
