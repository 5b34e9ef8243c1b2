import { type RawBuilder, sql } from 'kysely'
import type { KeptValues } from '#server/content/conversion.ts'
import { type Db, inTransaction, type ModelScope, type SpaceScope } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import type { FieldChange } from '#shared/fields/convert.ts'
import type { CustomType } from '#shared/fields/custom-types.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { readChanges, type StoredChanges, storeChanges } from '#shared/fields/stored-conversions.ts'

/* Changes of fields that can be taken back, and what documents held before them (docs/decisions/0034). */

/** Days for which a change can be taken back. */
export const keptDays = 30

/** Why a change cannot be taken back now: a newer one, documents that still follow, a custom type that is another. */
export const cannotTakeBack = (reason: 'newer' | 'converting' | 'types') =>
  new AppError('ChangeCannotBeTakenBack', { details: { reason } })

/** The change of a custom type that changed a model. */
export interface ByCustomType {
  customTypeId: number
  /** The custom type's version that it made. */
  customTypeVersion: number
}

/** A change of a model's fields that can be taken back. */
export interface KeptChange {
  /** The model's version that it made. */
  version: number
  changes: FieldChange[]
  /** `_id`s of the model's fields before, in their order. */
  positions: string[]
  /** The model's title field before. */
  titleField: string | null
  changedBy: { _id: string; name: string } | null
  changedAt: Date
  /** Until then it can be taken back. */
  until: Date
}

export async function insertChange(
  db: Db,
  scope: ModelScope,
  {
    version,
    changes,
    positions,
    titleField,
    changedBy,
    by,
  }: Pick<KeptChange, 'version' | 'changes' | 'positions' | 'titleField'> & {
    changedBy: string | null
    by: ByCustomType | undefined
  },
): Promise<void> {
  await db
    .insertInto('model_change')
    .values({
      space_id: scope.spaceId,
      model_id: scope.modelId,
      version,
      changes: JSON.stringify(storeChanges(changes)),
      positions,
      title_field: titleField,
      changed_by: changedBy,
      custom_type_id: by?.customTypeId ?? null,
      custom_type_version: by?.customTypeVersion ?? null,
    })
    .execute()
}

/** The changes of the model alone that can be taken back, the newest first. */
export async function listChanges(db: Db, scope: ModelScope): Promise<KeptChange[]> {
  const rows = await selectChanges(
    db,
    scope,
    sql`change.model_id = ${scope.modelId} AND change.custom_type_id IS NULL`,
  )
  return rows.map(({ stored: _stored, modelId: _id, typeVersion: _version, ...change }) => change)
}

/** A change of a custom type that can be taken back. */
export interface KeptTypeChange extends Pick<KeptChange, 'version' | 'changedBy' | 'changedAt' | 'until'> {
  /** What it changed in the models whose documents were converted, by the model's id. */
  models: Map<number, KeptChange>
  /** The custom types that these fields are made of, before and after. */
  types: { before: CustomType[]; after: CustomType[] }
}

/** The changes of the custom type that can be taken back, the newest first. */
export async function listTypeChanges(
  db: Db,
  scope: SpaceScope,
  customTypeId: number,
): Promise<KeptTypeChange[]> {
  const rows = await selectChanges(db, scope, sql`change.custom_type_id = ${customTypeId}`)
  const found = new Map<number, KeptTypeChange>()
  for (const { stored, modelId, typeVersion, ...change } of rows) {
    const version = typeVersion ?? 0
    const known = found.get(version) ?? {
      ...change,
      version,
      models: new Map(),
      types: stored.types ?? { before: [], after: [] },
    }
    known.models.set(modelId, change)
    found.set(version, known)
  }
  return [...found.values()].sort((one, other) => other.version - one.version)
}

async function selectChanges(db: Db, scope: SpaceScope, which: RawBuilder<unknown>) {
  const { rows } = await sql<{
    modelId: number
    typeVersion: number | null
    version: number
    stored: StoredChanges
    positions: string[]
    titleField: string | null
    by: string | null
    name: string | null
    changedAt: Date
    until: Date
  }>`
    SELECT change.model_id AS "modelId", change.custom_type_version AS "typeVersion", change.version,
      change.changes AS stored, change.positions, change.title_field AS "titleField", change.changed_by AS by,
      account.name, change.changed_at AS "changedAt",
      change.changed_at + make_interval(days => ${keptDays}) AS until
    FROM model_change AS change LEFT JOIN account ON account.id = change.changed_by
    WHERE change.space_id = ${scope.spaceId} AND ${which} AND change.ended_at IS NULL
      AND change.changed_at > now() - make_interval(days => ${keptDays})
    ORDER BY change.version DESC`.execute(db)
  return rows.map(({ by, name, ...row }) => ({
    ...row,
    changes: readChanges(row.stored),
    changedBy: by === null ? null : { _id: by, name: name ?? '' },
  }))
}

/** The changes of the custom type up to this version of it cannot be taken back any more; what was kept goes later. */
export async function endTypeChanges(
  db: Db,
  scope: SpaceScope,
  customTypeId: number,
  upTo: number,
): Promise<void> {
  await db
    .updateTable('model_change')
    .set({ ended_at: sql`clock_timestamp()` })
    .where('space_id', '=', scope.spaceId)
    .where('custom_type_id', '=', customTypeId)
    .where('custom_type_version', '<=', upTo)
    .where('ended_at', 'is', null)
    .execute()
}

/** The change of the custom type alone. */
export async function endTypeChange(
  db: Db,
  scope: SpaceScope,
  customTypeId: number,
  version: number,
): Promise<void> {
  await db
    .updateTable('model_change')
    .set({ ended_at: sql`clock_timestamp()` })
    .where('space_id', '=', scope.spaceId)
    .where('custom_type_id', '=', customTypeId)
    .where('custom_type_version', '=', version)
    .execute()
}

/** The custom type goes: none of its changes can be taken back. */
export async function forgetTypeChanges(db: Db, scope: SpaceScope, customTypeId: number): Promise<void> {
  await db
    .updateTable('model_change')
    .set({
      ended_at: sql`coalesce(ended_at, clock_timestamp())`,
      custom_type_id: null,
      custom_type_version: null,
    })
    .where('space_id', '=', scope.spaceId)
    .where('custom_type_id', '=', customTypeId)
    .execute()
}

/** The change and all before it cannot be taken back any more; what was kept goes later. Those by custom types stay. */
export async function endChanges(db: Db, scope: ModelScope, upTo: number): Promise<void> {
  await db
    .updateTable('model_change')
    .set({ ended_at: sql`clock_timestamp()` })
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('version', '<=', upTo)
    .where('custom_type_id', 'is', null)
    .where('ended_at', 'is', null)
    .execute()
}

/** The change alone. */
export async function endChange(db: Db, scope: ModelScope, version: number): Promise<void> {
  await db
    .updateTable('model_change')
    .set({ ended_at: sql`clock_timestamp()` })
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('version', '=', version)
    .execute()
}

/** Keeps what documents held before changes that they follow now, in the transaction that writes them. */
export async function keepValues(
  db: Db,
  scope: ModelScope,
  values: (KeptValues & { documentId: string })[],
): Promise<void> {
  if (values.length === 0) return
  const json = (state: StoredValues | null) => state && JSON.stringify(state)
  await sql`
    INSERT INTO document_before (space_id, model_id, version, document_id, document_version, draft, pub)
    SELECT ${scope.spaceId}, ${scope.modelId}, kept.*
    FROM unnest(${values.map(({ version }) => version)}::int[], ${values.map(({ documentId }) => documentId)}::text[],
      ${values.map(({ documentVersion }) => documentVersion)}::int[],
      ${values.map(({ draft }) => json(draft))}::jsonb[], ${values.map(({ pub }) => json(pub))}::jsonb[]) AS kept
    ON CONFLICT DO NOTHING`.execute(db)
}

/** What these documents held before these changes, by `_id`. */
export async function findKept(
  db: Db,
  scope: ModelScope,
  versions: number[],
  ids: string[],
): Promise<Map<string, KeptValues[]>> {
  const found = new Map<string, KeptValues[]>()
  if (versions.length === 0 || ids.length === 0) return found
  const rows = await db
    .selectFrom('document_before')
    .select(['document_id', 'version', 'document_version', 'draft', 'pub'])
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where(sql<boolean>`version = ANY(${versions}::int[])`)
    .where(sql<boolean>`document_id = ANY(${ids}::text[])`)
    .execute()
  for (const { document_id, document_version, ...values } of rows)
    found.set(document_id, [
      ...(found.get(document_id) ?? []),
      { ...values, documentVersion: document_version },
    ])
  return found
}

const batchSize = 1_000

/** Deletes what was kept of changes that cannot be taken back any more, in transactions of a few rows each. */
export async function purgeKept(db: Db, progress: (purged: number) => Promise<void>): Promise<void> {
  const { rows: over } = await sql<{ model_id: number; version: number }>`
    SELECT change.model_id, change.version FROM model_change AS change JOIN model ON model.id = change.model_id
    WHERE (change.ended_at IS NOT NULL OR change.changed_at < now() - make_interval(days => ${keptDays}))
      AND NOT EXISTS (SELECT FROM jsonb_array_elements(model.conversions) AS conversion
        WHERE (conversion->>'keeps')::int = change.version
          OR (conversion->'takesBack'->>'version')::int = change.version)`.execute(db)
  let purged = 0
  for (const { model_id, version } of over) {
    for (let deleted = batchSize; deleted === batchSize; ) {
      deleted = await inTransaction(db, async (tx) => {
        const { numAffectedRows } = await sql`
          DELETE FROM document_before WHERE model_id = ${model_id} AND version = ${version} AND document_id IN (
            SELECT document_id FROM document_before WHERE model_id = ${model_id} AND version = ${version}
            LIMIT ${batchSize})`.execute(tx)
        return Number(numAffectedRows)
      })
      purged += deleted
      await progress(purged)
    }
    await db
      .deleteFrom('model_change')
      .where('model_id', '=', model_id)
      .where('version', '=', version)
      .execute()
  }
}
