import { sql } from 'kysely'
import type { Db, ModelScope } from '#server/db/scope.ts'
import { jobSlice, Pace } from '#server/lib/pace.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { targetUidsOf } from '#shared/fields/references.ts'
import { walk } from '#shared/fields/walk.ts'
import { writeAssetUses } from './asset-uses.ts'
import { documentText } from './text.ts'
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
  const named = await lookAt(model, changes)
  await writeReferences(db, scope, named)
  await writeLinks(db, scope, model, named)
  const uses = named.map(({ id, stage, assetIds }) => ({ documentId: id, stage, assetIds }))
  await writeAssetUses(db, scope, uses, { areNew })
}

/** What values name. */
interface Named {
  references: { modelId: number; id: string }[]
  links: string[]
  assetIds: string[]
}

type NamedByStage = readonly (Named & Pick<StageChange, 'id' | 'stage'>)[]

/** What each stage names. Values are looked at once, also those that are the same in both. */
async function lookAt(model: DerivedModel, changes: readonly StageChange[]): Promise<NamedByStage> {
  const known = new Map<StoredValues | null, Named>([[null, { references: [], links: [], assetIds: [] }]])
  const pace = new Pace(jobSlice)
  const found: NamedByStage[number][] = []
  for (const { id, stage, values } of changes) {
    const named = known.get(values) ?? {
      references: referencesOf(model, values ?? {}),
      links: linksIn(model, values ?? {}),
      assetIds: assetsIn(model, values ?? {}),
    }
    known.set(values, named)
    found.push({ id, stage, ...named })
    await pace.giveWay()
  }
  return found
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
  const stagesOf = new Map<StoredValues, { id: string; stages: (0 | 1)[] }>()
  for (const { id, stage, values } of changes) {
    const known = values && stagesOf.get(values)
    if (known) known.stages.push(stage)
    else if (values) stagesOf.set(values, { id, stages: [stage] })
  }
  const given: string[] = []
  const pace = new Pace(jobSlice)
  for (const [values, named] of stagesOf) {
    const { texts, grams, characters } = documentText(model, values)
    given.push(JSON.stringify({ ...named, texts, grams: `{${grams}}`, characters: `{${characters}}` }))
    await pace.giveWay()
  }
  if (given.length === 0) return
  const json = `[${given}]`
  // Writing a row costs an entry of the index for each of its pairs of characters, which follow from the texts.
  await sql`
    INSERT INTO document_text (space_id, model_id, document_id, stage, texts, grams)
    SELECT ${scope.spaceId}::int, ${scope.modelId}::int, given.id, stage, given.texts,
      CASE stage WHEN 0 THEN given.grams || given.characters ELSE given.grams END
    FROM jsonb_to_recordset(${json}::jsonb)
      AS given (id text, stages smallint[], texts jsonb, grams int[], characters int[]), unnest(given.stages) AS stage
    ON CONFLICT (model_id, document_id, stage) DO UPDATE SET texts = excluded.texts, grams = excluded.grams
      WHERE document_text.texts IS DISTINCT FROM excluded.texts`.execute(db)
}

async function deleteReferences(db: Db, scope: ModelScope, changes: StageChange[]): Promise<void> {
  await sql`
    DELETE FROM document_reference AS reference
    USING unnest(${ids(changes)}::text[], ${stages(changes)}::smallint[]) AS changed (id, stage)
    WHERE reference.space_id = ${scope.spaceId} AND reference.from_model_id = ${scope.modelId}
      AND reference.from_id = changed.id AND reference.stage = changed.stage`.execute(db)
}

async function writeReferences(db: Db, scope: ModelScope, named: NamedByStage): Promise<void> {
  const rows = named.flatMap(({ id, stage, references }) => references.map((to) => ({ id, stage, to })))
  if (rows.length > 0)
    await sql`
      INSERT INTO document_reference (space_id, from_model_id, from_id, stage, to_model_id, to_id)
      SELECT ${scope.spaceId}::int, ${scope.modelId}::int, reference.*
      FROM unnest(${ids(rows)}::text[], ${stages(rows)}::smallint[], ${rows.map(({ to }) => to.modelId)}::int[],
        ${rows.map(({ to }) => to.id)}::text[]) AS reference`.execute(db)
}

/** Links in texts name a document by its `_id` alone: it is looked for in all models of the app. */
async function writeLinks(
  db: Db,
  scope: ModelScope,
  { targets }: DerivedModel,
  named: NamedByStage,
): Promise<void> {
  const rows = named.flatMap(({ id, stage, links }) => links.map((to) => ({ id, stage, to })))
  if (rows.length === 0) return
  await sql`
    INSERT INTO document_reference (space_id, from_model_id, from_id, stage, to_model_id, to_id)
    SELECT target.space_id, ${scope.modelId}::int, link.from_id, link.stage, target.model_id, target.id
    FROM unnest(${ids(rows)}::text[], ${stages(rows)}::smallint[],
      ${rows.map((link) => link.to)}::text[]) AS link (from_id, stage, to_id)
    JOIN document AS target ON target.space_id = ${scope.spaceId} AND target.model_id = ANY(${[...targets.values()]}::int[])
      AND target.id = link.to_id
    ON CONFLICT DO NOTHING`.execute(db)
}

/** The documents that texts in these values link to, each once. */
export function linksIn(model: { fields: Field[] }, values: StoredValues): string[] {
  const found = new Set<string>()
  walk(model, values, ({ field, value }) => {
    const type = typeOf(field)
    for (const item of itemsOf(value)) for (const id of type.documentIds?.(item) ?? []) found.add(id)
  })
  return [...found]
}

const ids = (changes: { id: string }[]) => changes.map((change) => change.id)
const stages = (changes: { stage: 0 | 1 }[]) => changes.map((change) => change.stage)

/** The ids of the models that a field refers to, but for those that are gone; none for other fields. */
export function targetsIn(targets: Map<string, number>, field: Field): number[] {
  return targetUidsOf(field)?.flatMap((uid) => targets.get(uid) ?? []) ?? []
}

/**
 * Whom these values may refer to, each once: an `_id` does not say of which model it is, so it stands for a document of
 * each that its field allows. One that is not there is found by nobody.
 */
export function referencesOf(
  { fields, targets }: DerivedModel,
  values: StoredValues,
): { modelId: number; id: string }[] {
  const found = new Map<string, { modelId: number; id: string }>()
  walk({ fields }, values, ({ field, value }) => {
    if (value === undefined) return
    for (const modelId of targetsIn(targets, field))
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
 * (then the caller must roll back); waits for a writer that is about to take the same. Documents that are new have none yet.
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

const ownerKeyOf = (value: HeldValue) => `${keyOf(value)} ${value.documentId}`

/** Takes what is free, in the order in which all writers take it; answers what somebody else is published with. */
async function insertUniqueValues(db: Db, scope: ModelScope, values: HeldValue[]): Promise<HeldValue[]> {
  if (values.length === 0) return []
  const ordered = values
    .map((value) => ({ key: ownerKeyOf(value), value }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ value }) => value)
  const { rows } = await sql<HeldValue>`
    WITH wanted AS MATERIALIZED (
      SELECT * FROM unnest(${ordered.map(({ fieldId }) => fieldId)}::text[], ${ordered.map(({ hash }) => hash)}::bytea[],
        ${ordered.map(({ documentId }) => documentId)}::text[], ${stages(ordered)}::smallint[])
        AS wanted (field_id, value_hash, document_id, stage)),
    taken AS (
      INSERT INTO document_unique (space_id, model_id, field_id, value_hash, document_id, stage)
      SELECT ${scope.spaceId}::int, ${scope.modelId}::int, wanted.* FROM wanted
      ON CONFLICT DO NOTHING
      RETURNING field_id::text, value_hash, document_id::text, stage)
    SELECT field_id AS "fieldId", value_hash AS hash, document_id AS "documentId", stage
    FROM (TABLE wanted EXCEPT TABLE taken) AS refused`.execute(db)
  return rows
}
