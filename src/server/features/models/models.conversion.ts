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
import { findBehind, type Page, takeBatch } from './behind.repository.ts'
import {
  lockDocuments,
  readDocuments,
  type StoredDocument,
  updateShape,
  updateValues,
} from './conversion.repository.ts'
import { loadResolver } from './custom-types.repository.ts'
import { findKept, keepValues } from './kept.repository.ts'
import { addToCounts, findModelById, listModels, type ModelRecord } from './models.repository.ts'
import { repeatedValue } from './models.unique.ts'

/** A document in the current shape. */
interface ConvertedDocument extends StoredDocument {
  /** Whether its values may differ from the stored ones. */
  changed: boolean
  before: KeptValues[]
}

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

interface Outcome {
  /** Milliseconds for which the documents were locked. */
  took: number
  /** Documents that could not be converted, each with the values that another published document also has. */
  refused: { id: string; repeated: RepeatedValue[] }[]
}

/**
 * Converts these documents if they still need it. Values are computed before locking. Documents saved meanwhile are
 * skipped, because saving converts them. Published documents with a duplicate unique value stay unconverted.
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
      // The model was changed again, so these values are outdated.
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
      // Tries again without the refused documents.
      outcome.refused.push(...error.refused)
      return false
    })
    if (await written) return { ...outcome, took: performance.now() - since }
  }
}

const hasReservations = (model: Converting) => reservingFields(model).size > 0

/** Thrown if published documents have duplicate unique values. The transaction must be rolled back. */
class ValuesRepeat extends Error {
  readonly refused: Outcome['refused']

  constructor(refused: Outcome['refused']) {
    super('Documents are published with the same value')
    this.refused = refused
  }
}

/** Returns the model's resolved fields, and the ids of all models of the app by uid (`targets`). */
export async function derivedModel(db: Db, { scope, fields }: ModelRecord): Promise<DerivedModel> {
  const models = await listModels(db, scope)
  const resolve = await loadResolver(db, scope, fields)
  return {
    fields: resolve(fields),
    targets: new Map(models.map((other) => [other.uid, other.scope.modelId])),
  }
}

/**
 * Converts all documents of a small model in the transaction of the change, which has locked the model. `model` is the
 * new model. The caller has checked that there are no duplicate unique values.
 */
export async function convertDocuments(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  change: Omit<ModelConversion, 'version'>,
): Promise<void> {
  // The change is treated as a conversion that is not yet applied to any document.
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

/**
 * Writes locked documents and all rows derived from their values. With `unique`, also writes their reserved values.
 * Throws {@link ValuesRepeat}.
 */
async function write(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  documents: ConvertedDocument[],
  { shape = null, unique }: { shape?: number | null; unique: boolean },
): Promise<void> {
  await keepValues(
    db,
    scope,
    documents.flatMap(({ id, before }) => before.map((values) => ({ ...values, documentId: id }))),
  )
  const changed = documents.filter((document) => document.changed)
  const others = documents.filter((document) => !document.changed)
  if (changed.length > 0) await updateValues(db, scope, changed, shape)
  if (shape !== null && others.length > 0)
    await updateShape(
      db,
      scope,
      others.map(({ id }) => id),
      shape,
    )
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

/**
 * Returns the states from which rows are derived. `before` is undefined, because the existing rows may be derived from
 * another shape.
 */
export const stateOf = ({ id, draft, pub }: StoredDocument): StateChange => ({
  id,
  current: draft ?? pub ?? {},
  pub,
  before: undefined,
})
