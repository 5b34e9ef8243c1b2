import { sql } from 'kysely'
import { type DocumentText, documentText } from '#server/content/text.ts'
import { hashUniqueValue, isUnique } from '#server/content/unique.ts'
import type { Db, ModelScope } from '#server/db/scope.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'

/*
 * Rows that follow from a document's values: its texts, its references, its reserved unique values. Written in the
 * transaction of the values by whoever changes them, and by nobody else.
 */

/** What a stage (0: current state, 1: published) of a document has become; null: there is none any more. */
export interface StageChange {
  id: string
  stage: 0 | 1
  values: StoredValues | null
}

/** Fields of the model, and the ids of the models its references point to by uid. */
export interface DerivedModel {
  fields: Field[]
  targets: Map<string, number>
}

/** Makes the texts and references of these stages what their values say. */
export async function writeDerived(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  changes: StageChange[],
): Promise<void> {
  if (changes.length === 0) return
  await writeTexts(db, scope, model, changes)
  await writeReferences(db, scope, model, changes)
}

async function writeTexts(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  changes: StageChange[],
): Promise<void> {
  const gone = changes.filter((change) => change.values === null)
  if (gone.length > 0)
    await sql`
      DELETE FROM document_text AS text USING unnest(${ids(gone)}::text[], ${stages(gone)}::smallint[]) AS gone (id, stage)
      WHERE text.space_id = ${scope.spaceId} AND text.model_id = ${scope.modelId}
        AND text.document_id = gone.id AND text.stage = gone.stage`.execute(db)
  // What is published and nothing else has the same values in both stages.
  const known = new Map<StoredValues, DocumentText>()
  const rows = changes.flatMap(({ id, stage, values }) => {
    if (!values) return []
    const text = known.get(values) ?? documentText(model, values)
    known.set(values, text)
    const { texts, grams } = text
    return {
      space_id: scope.spaceId,
      model_id: scope.modelId,
      document_id: id,
      stage,
      texts: JSON.stringify(texts),
      grams,
    }
  })
  if (rows.length === 0) return
  await db
    .insertInto('document_text')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['model_id', 'document_id', 'stage'])
        .doUpdateSet((set) => ({ texts: set.ref('excluded.texts'), grams: set.ref('excluded.grams') })),
    )
    .execute()
}

async function writeReferences(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  changes: StageChange[],
): Promise<void> {
  await sql`
    DELETE FROM document_reference AS reference
    USING unnest(${ids(changes)}::text[], ${stages(changes)}::smallint[]) AS changed (id, stage)
    WHERE reference.space_id = ${scope.spaceId} AND reference.from_model_id = ${scope.modelId}
      AND reference.from_id = changed.id AND reference.stage = changed.stage`.execute(db)
  const rows = changes.flatMap(({ id, stage, values }) =>
    referencesOf(model, values ?? {}).map((target) => ({
      space_id: scope.spaceId,
      from_model_id: scope.modelId,
      from_id: id,
      stage,
      to_model_id: target.modelId,
      to_id: target.id,
    })),
  )
  for (let start = 0; start < rows.length; start += 5_000)
    await db
      .insertInto('document_reference')
      .values(rows.slice(start, start + 5_000))
      .execute()
}

const ids = (changes: StageChange[]) => changes.map((change) => change.id)
const stages = (changes: StageChange[]) => changes.map((change) => change.stage)

/** Whom these values refer to, each once. */
export function referencesOf(
  { fields, targets }: DerivedModel,
  values: StoredValues,
): { modelId: number; id: string }[] {
  const found = new Map<string, { modelId: number; id: string }>()
  for (const field of fields) {
    const modelId = field.type === 'REFERENCE' ? targets.get(field.modelUid) : undefined
    if (modelId === undefined) continue
    for (const id of itemsOf(values[field._id])) found.set(`${modelId} ${id}`, { modelId, id: String(id) })
  }
  return [...found.values()]
}

/** A reserved value of a unique field. */
export interface Reservation {
  fieldId: string
  hash: Buffer
}

/** The values that a document with these states reserves, in the order in which all writers take them. */
export function reservationsOf(fields: Field[], states: (StoredValues | null)[]): Reservation[] {
  const found = new Map<string, Reservation>()
  for (const field of fields) {
    if (!isUnique(field)) continue
    for (const values of states)
      for (const item of itemsOf(values?.[field._id])) {
        const hash = hashUniqueValue(item)
        found.set(`${field._id} ${hash.toString('hex')}`, { fieldId: field._id, hash })
      }
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, reservation]) => reservation)
}

export function itemsOf(value: unknown): unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/**
 * Makes `wanted` all that the document reserves. Answers the ids of the fields whose value another document holds
 * (then the caller must roll back); waits for a writer that is about to take the same value.
 */
export async function reserveUnique(
  db: Db,
  scope: ModelScope,
  documentId: string,
  wanted: Reservation[],
): Promise<string[]> {
  const held = await db
    .selectFrom('document_unique')
    .select(['field_id', 'value_hash'])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('document_id', '=', documentId)
    .execute()
  const keyOf = (fieldId: string, hash: Buffer) => `${fieldId} ${hash.toString('hex')}`
  const wantedKeys = new Set(wanted.map(({ fieldId, hash }) => keyOf(fieldId, hash)))
  const heldKeys = new Set(held.map((row) => keyOf(row.field_id, row.value_hash)))
  const surplus = held.filter((row) => !wantedKeys.has(keyOf(row.field_id, row.value_hash)))
  if (surplus.length > 0)
    await sql`
      DELETE FROM document_unique AS held
      USING unnest(${surplus.map((row) => row.field_id)}::text[], ${surplus.map((row) => row.value_hash)}::bytea[])
        AS surplus (field_id, value_hash)
      WHERE held.space_id = ${scope.spaceId} AND held.model_id = ${scope.modelId}
        AND held.field_id = surplus.field_id AND held.value_hash = surplus.value_hash
        AND held.document_id = ${documentId}`.execute(db)
  const missing = wanted.filter(({ fieldId, hash }) => !heldKeys.has(keyOf(fieldId, hash)))
  const refused = await insertReservations(
    db,
    scope,
    missing.map((reservation) => ({ ...reservation, documentId })),
  )
  return [...new Set(refused.map((reservation) => reservation.fieldId))]
}

/** Takes what is free, in the given order; answers what somebody else holds. */
export async function insertReservations<R extends Reservation & { documentId: string }>(
  db: Db,
  scope: ModelScope,
  reservations: R[],
): Promise<R[]> {
  const refused: R[] = []
  for (let start = 0; start < reservations.length; start += 5_000) {
    const part = reservations.slice(start, start + 5_000)
    const taken = await db
      .insertInto('document_unique')
      .values(
        part.map(({ fieldId, hash, documentId }) => ({
          space_id: scope.spaceId,
          model_id: scope.modelId,
          field_id: fieldId,
          value_hash: hash,
          document_id: documentId,
        })),
      )
      .onConflict((conflict) => conflict.columns(['model_id', 'field_id', 'value_hash']).doNothing())
      .returning(['field_id', 'value_hash', 'document_id'])
      .execute()
    const keys = new Set(
      taken.map((row) => `${row.field_id} ${row.value_hash.toString('hex')} ${row.document_id}`),
    )
    refused.push(
      ...part.filter(
        ({ fieldId, hash, documentId }) => !keys.has(`${fieldId} ${hash.toString('hex')} ${documentId}`),
      ),
    )
  }
  return refused
}
