import { sql } from 'kysely'
import type { Db, ModelScope } from '#server/db/scope.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { targetUid } from '#shared/fields/references.ts'
import { walk } from '#shared/fields/walk.ts'
import { writeAssetUses } from './asset-uses.ts'
import { type DocumentText, documentText, keptGrams } from './text.ts'
import { hashUniqueValue, isUnique } from './unique.ts'

/*
 * Rows that follow from a document's values: its texts, its references, the assets it uses, its values of unique fields. Written in the
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

/** Makes the texts and references of these stages what their values say. Of documents that are new there are none yet. */
export async function writeDerived(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  changes: StageChange[],
  { areNew = false }: { areNew?: boolean } = {},
): Promise<void> {
  if (changes.length === 0) return
  await writeTexts(db, scope, model, changes)
  if (!areNew) await deleteReferences(db, scope, changes)
  await writeReferences(db, scope, model, changes)
  const uses = changes.map(({ id, stage, values }) => ({
    documentId: id,
    stage,
    assetIds: values ? assetsIn(model, values) : [],
  }))
  await writeAssetUses(db, scope, uses, { areNew })
}

/** The assets that these values use, each once. */
export function assetsIn(model: { fields: Field[] }, values: StoredValues): string[] {
  const found = new Set<string>()
  walk(model, values, ({ field, value }) => {
    const type = typeOf(field)
    for (const item of itemsOf(value)) for (const id of type.assetIds?.(item) ?? []) found.add(id)
  })
  return [...found]
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
    return {
      space_id: scope.spaceId,
      model_id: scope.modelId,
      document_id: id,
      stage,
      texts: JSON.stringify(text.texts),
      grams: keptGrams(text, stage),
    }
  })
  if (rows.length === 0) return
  await db
    .insertInto('document_text')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['model_id', 'document_id', 'stage'])
        .doUpdateSet((set) => ({ texts: set.ref('excluded.texts'), grams: set.ref('excluded.grams') }))
        // Writing a row costs an entry of the index for each of its pairs of characters, which follow from the texts.
        .where(sql<boolean>`document_text.texts IS DISTINCT FROM excluded.texts`),
    )
    .execute()
}

async function deleteReferences(db: Db, scope: ModelScope, changes: StageChange[]): Promise<void> {
  await sql`
    DELETE FROM document_reference AS reference
    USING unnest(${ids(changes)}::text[], ${stages(changes)}::smallint[]) AS changed (id, stage)
    WHERE reference.space_id = ${scope.spaceId} AND reference.from_model_id = ${scope.modelId}
      AND reference.from_id = changed.id AND reference.stage = changed.stage`.execute(db)
}

async function writeReferences(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  changes: StageChange[],
): Promise<void> {
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

/** The id of the model that a field refers to; undefined for other fields, and when that model is gone. */
export function targetIn(targets: Map<string, number>, field: Field): number | undefined {
  const uid = targetUid(field)
  return uid === undefined ? undefined : targets.get(uid)
}

/** Whom these values refer to, each once. */
export function referencesOf(
  { fields, targets }: DerivedModel,
  values: StoredValues,
): { modelId: number; id: string }[] {
  const found = new Map<string, { modelId: number; id: string }>()
  walk({ fields }, values, ({ field, value }) => {
    const modelId = value === undefined ? undefined : targetIn(targets, field)
    if (modelId === undefined) return
    for (const id of itemsOf(value)) found.set(`${modelId} ${id}`, { modelId, id: String(id) })
  })
  return [...found.values()]
}

/** A value of a unique field, as one stage of a document has it. */
export interface UniqueValue {
  fieldId: string
  hash: Buffer
  stage: 0 | 1
}

/**
 * The values of unique fields in both stages of a document, each once. Those of stage 1 are reserved: no other document
 * is published with one.
 */
export function uniqueValuesOf(
  fields: Field[],
  current: StoredValues | null,
  pub: StoredValues | null,
): UniqueValue[] {
  const found = new Map<string, UniqueValue>()
  for (const [stage, values] of [current, pub].entries())
    walk({ fields }, values ?? {}, ({ field, value: items }) => {
      if (!isUnique(field)) return
      for (const item of itemsOf(items)) {
        const value = { fieldId: field._id, hash: hashUniqueValue(item), stage: stage === 0 ? 0 : 1 } as const
        found.set(keyOf(value), value)
      }
    })
  return [...found.values()]
}

const keyOf = ({ fieldId, hash, stage }: UniqueValue) => `${fieldId} ${hash.toString('hex')} ${stage}`

export function itemsOf(value: unknown): unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** A value of a unique field with the document that has it. */
export type HeldValue = UniqueValue & { documentId: string }

/**
 * Makes `wanted` all that these documents have of unique values. Answers those that another document is published with
 * (then the caller must roll back); waits for a writer that is about to take the same.
 */
export async function writeUniqueValues(
  db: Db,
  scope: ModelScope,
  documentIds: string[],
  wanted: HeldValue[],
): Promise<HeldValue[]> {
  const rows = await db
    .selectFrom('document_unique')
    .select(['field_id as fieldId', 'value_hash as hash', 'stage', 'document_id as documentId'])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where(sql<boolean>`document_id = ANY(${documentIds}::text[])`)
    .execute()
  const wantedKeys = new Set(wanted.map(ownerKeyOf))
  const heldKeys = new Set(rows.map(ownerKeyOf))
  const surplus = rows.filter((row) => !wantedKeys.has(ownerKeyOf(row)))
  if (surplus.length > 0)
    await sql`
      DELETE FROM document_unique AS held
      USING unnest(${surplus.map((row) => row.fieldId)}::text[], ${surplus.map((row) => row.hash)}::bytea[],
        ${surplus.map((row) => row.stage)}::smallint[], ${surplus.map((row) => row.documentId)}::text[])
        AS surplus (field_id, value_hash, stage, document_id)
      WHERE held.space_id = ${scope.spaceId} AND held.model_id = ${scope.modelId}
        AND held.field_id = surplus.field_id AND held.value_hash = surplus.value_hash
        AND held.stage = surplus.stage AND held.document_id = surplus.document_id`.execute(db)
  const missing = wanted.filter((value) => !heldKeys.has(ownerKeyOf(value)))
  return insertUniqueValues(db, scope, missing)
}

const ownerKeyOf = (value: HeldValue) => `${keyOf(value)} ${value.documentId}`

/** Takes what is free, in the order in which all writers take it; answers what somebody else is published with. */
async function insertUniqueValues(db: Db, scope: ModelScope, values: HeldValue[]): Promise<HeldValue[]> {
  const refused: HeldValue[] = []
  const ordered = values
    .map((value) => ({ key: ownerKeyOf(value), value }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  for (let start = 0; start < ordered.length; start += 5_000) {
    const part = ordered.slice(start, start + 5_000)
    const taken = await db
      .insertInto('document_unique')
      .values(
        part.map(({ value: { fieldId, hash, documentId, stage } }) => ({
          space_id: scope.spaceId,
          model_id: scope.modelId,
          field_id: fieldId,
          value_hash: hash,
          document_id: documentId,
          stage,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning(['field_id as fieldId', 'value_hash as hash', 'stage', 'document_id as documentId'])
      .execute()
    const keys = new Set(taken.map(ownerKeyOf))
    for (const { key, value } of part) if (!keys.has(key)) refused.push(value)
  }
  return refused
}
