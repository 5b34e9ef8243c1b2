import { type RawBuilder, sql } from 'kysely'
import type { KeptValues } from '#server/content/conversion.ts'
import { type Db, inTransaction, type ModelScope, type SpaceScope } from '#server/db/scope.ts'
import { AppError } from '#shared/errors.ts'
import type { FieldChange } from '#shared/fields/convert.ts'
import type { CustomType } from '#shared/fields/custom-types.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import { readChanges, type StoredChanges, storeChanges } from '#shared/fields/stored-conversions.ts'

/* Changes of fields that can be undone, and the documents' previous values (docs/decisions/0034). */

/** Days for which a change can be undone. */
export const keptDays = 30

/**
 * Returns the error for a change that cannot be undone now. Reasons: there is a newer change, documents are still being
 * converted, or a custom type has changed.
 */
export const cannotTakeBack = (reason: 'newer' | 'converting' | 'types') =>
  new AppError('ChangeCannotBeTakenBack', { details: { reason } })

/** The change of a custom type that caused a change of a model. */
export interface ByCustomType {
  customTypeId: number
  /** The custom type's version after the change. */
  customTypeVersion: number
}

/** A change of a model's fields that can be undone. */
export interface KeptChange {
  /** The model's version after the change. */
  version: number
  changes: FieldChange[]
  /** `_id`s of the model's fields before the change, in order. */
  positions: string[]
  /** The model's title field before the change. */
  titleField: string | null
  changedBy: { _id: string; name: string } | null
  changedAt: Date
  /** Time until which the change can be undone. */
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

/** Returns the model's own changes that can be undone, newest first. */
export async function listChanges(db: Db, scope: ModelScope): Promise<KeptChange[]> {
  const rows = await selectChanges(
    db,
    scope,
    sql`change.model_id = ${scope.modelId} AND change.custom_type_id IS NULL`,
  )
  return rows.map(({ stored: _stored, modelId: _id, typeVersion: _version, ...change }) => change)
}

/** A change of a custom type that can be undone. */
export interface KeptTypeChange extends Pick<KeptChange, 'version' | 'changedBy' | 'changedAt' | 'until'> {
  /** The resulting changes of models whose documents were converted, by model id. */
  models: Map<number, KeptChange>
  /** The custom types that the changed fields use, before and after the change. */
  types: { before: CustomType[]; after: CustomType[] }
}

/** Returns the changes of the custom type that can be undone, newest first. */
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

/**
 * Marks the changes of the custom type up to this version as no longer undoable. Their kept values are deleted later.
 */
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

/** Marks a single change of the custom type as no longer undoable. */
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

/** Marks all changes of a custom type as no longer undoable, because the type is deleted. */
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

/**
 * Marks the change and all older ones as no longer undoable. Their kept values are deleted later. Changes caused by
 * custom types are not affected.
 */
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

/** Marks a single change as no longer undoable. */
export async function endChange(db: Db, scope: ModelScope, version: number): Promise<void> {
  await db
    .updateTable('model_change')
    .set({ ended_at: sql`clock_timestamp()` })
    .where('space_id', '=', scope.spaceId)
    .where('model_id', '=', scope.modelId)
    .where('version', '=', version)
    .execute()
}

/**
 * Stores the values that the documents had before the changes that are now applied to them. Runs in the transaction
 * that writes the documents.
 */
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

/** Returns the kept values of these documents for these changes, by the `_id` of the document. */
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

/**
 * Deletes kept values of changes that can no longer be undone, at most {@link batchSize} rows per transaction, then the
 * changes. Skips changes that pending conversions still need. Returns the number of deleted values.
 */
export async function purgeKept(db: Db, progress: (purged: number) => Promise<void>): Promise<number> {
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
  return purged
}
