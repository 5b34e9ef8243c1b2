import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import type { Db, ModelScope } from '#server/db/scope.ts'
import type { DocumentTextTable, DocumentUniqueTable } from '#server/db/tables.ts'
import { jobSlice, Pace } from '#server/lib/pace.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { targetUidsOf } from '#shared/fields/references.ts'
import { walk } from '#shared/fields/walk.ts'
import { writeAssetUses } from './asset-uses.ts'
import { documentText, keptGrams } from './text.ts'
import { hashUniqueValue, isUnique } from './unique.ts'

/*
 * Rows derived from a document's values: search texts, references, uses of assets, and values of unique fields. A
 * change of the values updates these rows in the same transaction.
 */

interface State {
  current: StoredValues
  /** The published values; the same object as `current` if both states are equal. null: not published. */
  pub: StoredValues | null
}

export interface StateChange extends State {
  id: string
  /**
   * The previous state. null: the document is new. undefined: unknown, because the stored rows may not match the
   * previous state.
   */
  before: State | null | undefined
}

/** The states that a row of `document_text` belongs to: 0 current, 1 published, 2 both (they are equal). */
export type TextStage = DocumentTextTable['stage']

/** Returns the rows of `document_text` that a document needs: the stage and the values of each. */
export const textRows = ({ current, pub }: State): [TextStage, StoredValues][] =>
  current === pub
    ? [[2, current]]
    : pub
      ? [
          [0, current],
          [1, pub],
        ]
      : [[0, current]]

/** The fields of a model, and the database ids of all models of its app, by `uid`. */
export interface DerivedModel {
  fields: Field[]
  targets: Map<string, number>
}

/** Updates the search texts, references and asset uses of these documents to match their values. */
export async function writeDerived(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  changes: readonly StateChange[],
): Promise<void> {
  const changed = changes.filter(
    ({ before, ...state }) => !before || !isDeepStrictEqual(textRows(before), textRows(state)),
  )
  if (changed.length === 0) return
  await writeTexts(db, scope, model, changed)
  const named = await lookAt(model, changed)
  await writeReferences(db, scope, model, named)
  await writeAssetUses(db, scope, named)
}

/** The ids that values contain, each once. */
interface Names {
  /**
   * Possible targets of references. An `_id` does not name its model, so it is listed for every model that the field
   * allows. Combinations without a document match nothing.
   */
  references: { modelId: number; id: string }[]
  /** Ids of the documents that texts link to. */
  links: string[]
  assetIds: string[]
}

/** Returns the ids that the values of these states refer to. */
export function namesIn({ fields, targets }: DerivedModel, states: readonly StoredValues[]): Names {
  const references = new Map<string, { modelId: number; id: string }>()
  const links = new Set<string>()
  const assetIds = new Set<string>()
  for (const values of states)
    walk({ fields }, values, ({ field, value }) => {
      if (value === undefined) return
      const type = typeOf(field)
      const modelIds = targetsIn(targets, field)
      for (const item of itemsOf(value)) {
        for (const modelId of modelIds) references.set(`${modelId} ${item}`, { modelId, id: String(item) })
        for (const id of type.documentIds?.(item) ?? []) links.add(id)
        for (const id of type.assetIds?.(item) ?? []) assetIds.add(id)
      }
    })
  return { references: [...references.values()], links: [...links], assetIds: [...assetIds] }
}

type Named = Names & { id: string; isNew: boolean }

async function lookAt(model: DerivedModel, changes: readonly StateChange[]): Promise<Named[]> {
  const pace = new Pace(jobSlice)
  const found: Named[] = []
  for (const { id, before, ...state } of changes) {
    const states = textRows(state).map(([, values]) => values)
    found.push({ id, isNew: before === null, ...namesIn(model, states) })
    await pace.giveWay()
  }
  return found
}

async function writeTexts(
  db: Db,
  scope: ModelScope,
  model: DerivedModel,
  changes: readonly StateChange[],
): Promise<void> {
  const gone = changes.flatMap((change) => goneTexts(change).map((stage) => ({ id: change.id, stage })))
  if (gone.length > 0)
    await sql`
      DELETE FROM document_text AS text
      USING unnest(${ids(gone)}::text[], ${gone.map(({ stage }) => stage)}::smallint[]) AS gone (id, stage)
      WHERE text.space_id = ${scope.spaceId} AND text.model_id = ${scope.modelId}
        AND text.document_id = gone.id AND text.stage = gone.stage`.execute(db)
  const given: string[] = []
  const pace = new Pace(jobSlice)
  for (const { id, before, ...state } of changes)
    for (const [stage, values] of textRows(state)) {
      if (before && isDeepStrictEqual(new Map(textRows(before)).get(stage), values)) continue
      const text = await documentText(model, values, pace)
      const grams = await arrayText(keptGrams(text, stage), pace)
      given.push(JSON.stringify({ id, stage, texts: text.texts, grams }))
      await pace.giveWay()
    }
  if (given.length === 0) return
  // Rewriting a row adds an index entry for each of its character pairs. Rows with unchanged texts are skipped.
  const instead = changes.every(({ before }) => before === null)
    ? sql``
    : sql`ON CONFLICT (model_id, document_id, stage) DO UPDATE SET texts = excluded.texts, grams = excluded.grams
      WHERE document_text.texts IS DISTINCT FROM excluded.texts`
  await sql`
    INSERT INTO document_text (space_id, model_id, document_id, stage, texts, grams)
    SELECT ${scope.spaceId}::int, ${scope.modelId}::int, given.*
    FROM jsonb_to_recordset(${`[${given}]`}::jsonb) AS given (id text, stage smallint, texts jsonb, grams int[])
    ${instead}`.execute(db)
}

/**
 * Formats numbers as the text of a PostgreSQL array. May yield to the event loop between pieces, because a text can
 * have hundreds of thousands of pairs.
 */
async function arrayText(numbers: number[], pace: Pace): Promise<string> {
  const pieces: string[] = []
  for (let at = 0; at < numbers.length; at += 10_000) {
    pieces.push(numbers.slice(at, at + 10_000).join())
    await pace.giveWay()
  }
  return `{${pieces}}`
}

/** Returns the stages of the rows that the document has, or may have, but no longer needs. */
function goneTexts({ before, ...state }: StateChange): TextStage[] {
  if (before === null) return []
  const had = before ? textRows(before).map(([stage]) => stage) : ([0, 1, 2] as const)
  const kept = new Set(textRows(state).map(([stage]) => stage))
  return had.filter((stage) => !kept.has(stage))
}

async function writeReferences(
  db: Db,
  scope: ModelScope,
  { targets }: DerivedModel,
  named: readonly Named[],
): Promise<void> {
  const rows = named.flatMap(({ id, references }) => references.map((to) => ({ id, to })))
  const links = named.flatMap((one) => one.links.map((to) => ({ id: one.id, to })))
  const before = named.filter(({ isNew }) => !isNew)
  if (rows.length + links.length + before.length === 0) return
  const direct = sql`SELECT from_id, to_model_id, to_id FROM unnest(${ids(rows)}::text[], ${rows.map(({ to }) => to.modelId)}::int[],
      ${rows.map(({ to }) => to.id)}::text[]) AS direct (from_id, to_model_id, to_id)`
  // A link in a text contains only the `_id` of a document, so its target is searched in all models of the app.
  const linked = sql`SELECT link.from_id, target.model_id, target.id::text
    FROM unnest(${ids(links)}::text[], ${links.map(({ to }) => to)}::text[]) AS link (from_id, to_id)
    JOIN document AS target ON target.space_id = ${scope.spaceId} AND target.model_id = ANY(${[...targets.values()]}::int[])
      AND target.id = link.to_id`
  const wanted = links.length > 0 ? sql`${direct} UNION ${linked}` : direct
  const insertFrom = (from: RawBuilder<unknown>) => sql`
    INSERT INTO document_reference (space_id, from_model_id, from_id, to_model_id, to_id)
    SELECT ${scope.spaceId}::int, ${scope.modelId}::int, from_id, to_model_id, to_id FROM ${from} AS wanted`
  if (before.length === 0) {
    await insertFrom(sql`(${wanted})`).execute(db)
    return
  }
  await sql`
    WITH wanted AS (${wanted}),
    gone AS (
      DELETE FROM document_reference AS reference
      WHERE reference.space_id = ${scope.spaceId} AND reference.from_model_id = ${scope.modelId}
        AND reference.from_id = ANY(${ids(before)}::text[])
        AND NOT EXISTS (SELECT FROM wanted WHERE wanted.from_id = reference.from_id
          AND wanted.to_model_id = reference.to_model_id AND wanted.to_id = reference.to_id))
    ${insertFrom(sql`wanted`)}
    ON CONFLICT DO NOTHING`.execute(db)
}

const ids = (changes: readonly { id: string }[]) => changes.map((change) => change.id)

/** Returns the database ids of the existing models that a reference field refers to; empty for other types of field. */
export function targetsIn(targets: Map<string, number>, field: Field): number[] {
  return targetUidsOf(field)?.flatMap((uid) => targets.get(uid) ?? []) ?? []
}

/** A value of a unique field in a document: in its current state (0), its published state (1), or both (2). */
export interface UniqueValue {
  fieldId: string
  hash: Buffer
  stage: DocumentUniqueTable['stage']
}

/**
 * Returns the unique values of a document, each once per field. Published values are reserved: no other document of the
 * model can be published with an equal value.
 */
export function uniqueValuesOf(
  fields: Field[],
  current: StoredValues | null,
  pub: StoredValues | null,
): UniqueValue[] {
  const found = new Map<string, UniqueValue>()
  const add = (values: StoredValues | null, stage: UniqueValue['stage']) =>
    walk({ fields }, values ?? {}, ({ field, value: items }) => {
      if (!isUnique(field)) return
      for (const item of itemsOf(items)) {
        if (item === typeOf(field).emptyItem) continue
        const value = { fieldId: field._id, hash: hashUniqueValue(item), stage }
        const key = keyOf(value)
        const known = found.get(key)?.stage ?? stage
        found.set(key, { ...value, stage: known === stage ? stage : 2 })
      }
    })
  if (current === pub) add(current, 2)
  else {
    add(current, 0)
    add(pub, 1)
  }
  return [...found.values()]
}

const keyOf = ({ fieldId, hash }: UniqueValue) => `${fieldId} ${hash.toString('latin1')}`

export function itemsOf(value: unknown): unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

export type HeldValue = UniqueValue & { documentId: string }

/**
 * Replaces the stored unique values of these documents with `wanted`. Returns the published values among `wanted` that
 * another document already reserves; the caller must then roll back. Waits for concurrent writers of an equal published
 * value. `areNew`: the documents have no rows yet.
 */
export async function writeUniqueValues(
  db: Db,
  scope: ModelScope,
  documentIds: string[],
  wanted: HeldValue[],
  { areNew = false }: { areNew?: boolean } = {},
): Promise<HeldValue[]> {
  if (areNew) return insertUniqueValues(db, scope, wanted)
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

const ownerKeyOf = (value: HeldValue) => `${keyOf(value)} ${value.stage} ${value.documentId}`

/**
 * Inserts values. Published values that another document already reserves are not inserted but returned. The values are
 * inserted in a fixed order to avoid deadlocks.
 */
async function insertUniqueValues(db: Db, scope: ModelScope, values: HeldValue[]): Promise<HeldValue[]> {
  if (values.length === 0) return []
  const ordered = values
    .map((value) => ({ key: ownerKeyOf(value), value }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ value }) => value)
  const { rows } = await sql<HeldValue>`
    WITH wanted AS MATERIALIZED (
      SELECT * FROM unnest(${ordered.map(({ fieldId }) => fieldId)}::text[], ${ordered.map(({ hash }) => hash)}::bytea[],
        ${ordered.map(({ documentId }) => documentId)}::text[], ${ordered.map(({ stage }) => stage)}::smallint[])
        AS wanted (field_id, value_hash, document_id, stage)),
    taken AS (
      INSERT INTO document_unique (space_id, model_id, field_id, value_hash, document_id, stage)
      SELECT ${scope.spaceId}::int, ${scope.modelId}::int, wanted.* FROM wanted
      ON CONFLICT (model_id, field_id, value_hash) WHERE stage IN (1, 2) DO NOTHING
      RETURNING field_id::text, value_hash, document_id::text, stage)
    SELECT field_id AS "fieldId", value_hash AS hash, document_id AS "documentId", stage
    FROM (TABLE wanted EXCEPT TABLE taken) AS refused`.execute(db)
  return rows
}
