import { sql } from 'kysely'
import {
  type Converting,
  changesValues,
  follow,
  isBehind,
  type KeptValues,
  newestShape,
  reservingFields,
  takenBack,
} from '#server/content/conversion.ts'
import {
  type DerivedModel,
  type HeldValue,
  type StateChange,
  uniqueValuesOf,
  writeDerived,
  writeUniqueValues,
} from '#server/content/derived.ts'
import { type Db, inTransaction, type ModelScope } from '#server/db/scope.ts'
import { Pace } from '#server/lib/pace.ts'
import type { ModelConversion, RepeatedValue } from '#shared/fields/convert.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { findBehind, type Page, takeBatch } from './models.behind.ts'
import { loadResolver } from './models.custom-types.ts'
import { findKept, keepValues } from './models.kept.ts'
import { addToCounts, findModelById, listModels, type ModelRecord } from './models.repository.ts'
import { repeatedValue } from './models.unique.ts'

/*
 * Stored values follow a change of their model's fields: all at once where there are few documents, else a few at a time
 * while people go on reading and saving (docs/decisions/0026). Revisions stay as they were written.
 */

interface StoredDocument {
  id: string
  version: number
  shape: number
  draft: StoredValues | null
  pub: StoredValues | null
  trashed: boolean
}

/** A document in its newest shape. */
interface ConvertedDocument extends StoredDocument {
  /** Its values may be others than those that are stored. */
  changed: boolean
  /** What is to be kept of those. */
  before: KeptValues[]
}

/** What conversions of the model make of documents that are behind. */
async function convertAll(
  db: Db,
  scope: ModelScope,
  model: Converting,
  documents: StoredDocument[],
): Promise<ConvertedDocument[]> {
  const pace = new Pace()
  const ids = documents.map(({ id }) => id)
  const kept = await findKept(db, scope, takenBack(model), ids)
  const converted: ConvertedDocument[] = []
  for (const stored of documents) {
    const changed = changesValues(model, stored.shape)
    if (changed) {
      const { document, before } = await follow(model, stored, kept.get(stored.id))
      converted.push({ ...document, changed, before })
    } else converted.push({ ...stored, changed, before: [] })
    await pace.giveWay()
  }
  return converted
}

/** How a batch went. */
interface Outcome {
  /** For so many milliseconds the documents were held. */
  took: number
  /** Documents that could not follow, with what another one is published with. */
  refused: { id: string; repeated: RepeatedValue[] }[]
}

/**
 * Converts these documents, as far as they are still behind. The work on their values is done beforehand, so that
 * nothing is held but while it is written; what somebody saves meanwhile is converted by that. Documents that are
 * published with what another one has stay as they are, where that must not be.
 */
export async function convertBatch(db: Db, scope: ModelScope, ids: string[]): Promise<Outcome> {
  const outcome: Outcome = { took: 0, refused: [] }
  for (;;) {
    const model = await findModelById(db, scope)
    if (!model) return outcome
    const refused = new Set(outcome.refused.map(({ id }) => id))
    const behind = (await readDocuments(db, scope, ids)).filter(
      ({ id, shape }) => isBehind(model, shape) && !refused.has(id),
    )
    const converted = await convertAll(db, scope, model, behind)
    let since = performance.now()
    const written = inTransaction(db, async (tx) => {
      const locked = await findModelById(tx, scope, 'share')
      if (!locked) return true
      // The model was changed once more: these values are not the newest.
      if (newestShape(locked) !== newestShape(model)) return false
      const derived = await derivedModel(tx, locked)
      since = performance.now()
      const rows = await lockDocuments(tx, scope, ids)
      const same = converted.filter(({ id, version, shape }) => rows.get(id) === `${version} ${shape}`)
      if (same.length > 0) {
        await write(tx, scope, derived, same, { shape: newestShape(model), unique: hasReservations(model) })
        await addToCounts(tx, scope, { documents: 0, published: 0 })
      }
      return true
    }).catch((error: unknown) => {
      if (!(error instanceof ValuesRepeat)) throw error
      // The others follow without them.
      outcome.refused.push(...error.refused)
      return false
    })
    if (await written) return { ...outcome, took: performance.now() - since }
  }
}

const hasReservations = (model: Converting) => reservingFields(model).size > 0

/** Documents are published with values that must not repeat: the transaction is to be rolled back. */
class ValuesRepeat extends Error {
  readonly refused: Outcome['refused']

  constructor(refused: Outcome['refused']) {
    super('Documents are published with the same value')
    this.refused = refused
  }
}

/** The model, its fields whole, with whom its references point to. */
async function derivedModel(db: Db, { scope, fields }: ModelRecord): Promise<DerivedModel> {
  const models = await listModels(db, scope)
  const resolve = await loadResolver(db, scope, fields)
  return {
    fields: resolve(fields),
    targets: new Map(models.map((other) => [other.uid, other.scope.modelId])),
  }
}

/**
 * Converts every document of a small model, in the transaction of the change, which holds the model. `model` is the
 * model as it is to be, and no values may repeat in it that must not.
 */
export async function convertDocuments(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  change: Omit<ModelConversion, 'version'>,
): Promise<void> {
  // As a conversion that none of them has followed yet.
  const converting: Converting = { conversions: [{ ...change, version: 2 ** 31 - 1 }] }
  for (let after: string | null = ''; after !== null; ) {
    const page: Page = await findBehind(db, scope, converting, after)
    while (page.behind.length > 0) {
      const documents = await readDocuments(db, scope, takeBatch(page.behind, 100))
      const converted = await convertAll(db, scope, converting, documents)
      await write(db, scope, model, converted, { unique: change.unique !== undefined })
    }
    after = page.last
  }
}

async function readDocuments(db: Db, scope: ModelScope, ids: string[]): Promise<StoredDocument[]> {
  const rows = await db
    .selectFrom('document')
    .select(['id', 'version', 'shape', 'draft', 'pub', 'deleted_at'])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  return rows.map(({ deleted_at, ...document }) => ({ ...document, trashed: deleted_at !== null }))
}

/** Version and shape of the documents, which stay as they are until the transaction ends. */
async function lockDocuments(db: Db, scope: ModelScope, ids: string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('document')
    .select(['id', 'version', 'shape'])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return new Map(rows.map(({ id, version, shape }) => [id, `${version} ${shape}`]))
}

/**
 * Writes documents that the caller holds, with what follows from their values; with `unique`, what they reserve is
 * written anew. Throws {@link ValuesRepeat}.
 */
async function write(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  documents: ConvertedDocument[],
  { shape = null, unique }: { shape?: number | null; unique: boolean },
): Promise<void> {
  const json = (values: StoredValues | null) => values && JSON.stringify(values)
  await keepValues(
    db,
    scope,
    documents.flatMap(({ id, before }) => before.map((values) => ({ ...values, documentId: id }))),
  )
  const changed = documents.filter((document) => document.changed)
  const others = documents.filter((document) => !document.changed)
  if (changed.length > 0)
    await sql`
      UPDATE document SET draft = changed.draft, pub = changed.pub, shape = coalesce(${shape}::int, shape)
      FROM unnest(${changed.map((document) => document.id)}::text[],
        ${changed.map((document) => json(document.draft))}::jsonb[],
        ${changed.map((document) => json(document.pub))}::jsonb[]) AS changed (id, draft, pub)
      WHERE document.space_id = ${scope.spaceId} AND document.model_id = ${scope.modelId}
        AND document.id = changed.id`.execute(db)
  if (shape !== null && others.length > 0)
    await sql`
      UPDATE document SET shape = ${shape}
      WHERE space_id = ${scope.spaceId} AND model_id = ${scope.modelId}
        AND id = ANY(${others.map((document) => document.id)}::text[])`.execute(db)
  if (unique) await reserve(db, scope, model, documents)
  await writeDerived(db, scope, model, changed.map(stateOf))
}

async function reserve(
  db: Db,
  scope: ModelScope,
  { fields }: DerivedModel,
  documents: StoredDocument[],
): Promise<void> {
  const wanted = documents.flatMap(({ id, draft, pub, trashed }): HeldValue[] =>
    trashed ? [] : uniqueValuesOf(fields, draft ?? pub, pub).map((value) => ({ ...value, documentId: id })),
  )
  const ids = documents.map(({ id }) => id)
  const refused = await writeUniqueValues(db, scope, ids, wanted)
  if (refused.length === 0) return
  throw new ValuesRepeat(
    documents.flatMap(({ id, pub }) => {
      const own = refused.filter(({ documentId }) => documentId === id)
      const repeated = own.map((value) => ({ ...repeatedValue(fields, pub ?? {}, value), documents: [id] }))
      return own.length > 0 ? [{ id, repeated }] : []
    }),
  )
}

/** Rows of before may follow from values in another shape. */
const stateOf = ({ id, draft, pub }: StoredDocument): StateChange => ({
  id,
  current: draft ?? pub ?? {},
  pub,
  before: undefined,
})
