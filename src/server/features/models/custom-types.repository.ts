import { isDeepStrictEqual } from 'node:util'
import { type Selectable, sql } from 'kysely'
import type { AppScope, Db } from '#server/db/scope.ts'
import type { CustomTypeTable } from '#server/db/tables.ts'
import { whenTaken } from '#server/db/unique-violation.ts'
import { type CustomType, createResolver, namesCustomTypes } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { forgetTypeChanges } from './kept.repository.ts'

/*
 * The stored custom types of an app. The feature custom-types changes them. The feature models reads them, and updates
 * their references to models.
 */

/** A stored custom type; `_id` and uid as in the API. */
export interface CustomTypeRecord extends CustomType {
  id: number
  name: string
  description: string
  version: number
  createdAt: Date
  updatedAt: Date
}

export type CustomTypeValues = Pick<CustomTypeRecord, 'uid' | 'name' | 'description' | 'fields'>

const whenUidIsTaken = whenTaken('custom_type_uid', 'CustomFieldTypeIsAlreadyInUse', 'data.uid')
const whenNameIsTaken = whenTaken('custom_type_name', 'CustomFieldTypeIsAlreadyInUse', 'data.name')

function toRecord(row: Selectable<CustomTypeTable>): CustomTypeRecord {
  const { id, uid, name, description, fields, version } = row
  const times = { createdAt: row.created_at, updatedAt: row.updated_at }
  return { id, _id: row.public_id, uid, name, description, fields, version, ...times }
}

/** Returns the app's custom types sorted by name. */
export async function listCustomTypes(db: Db, scope: AppScope): Promise<CustomTypeRecord[]> {
  const rows = await db
    .selectFrom('custom_type')
    .selectAll()
    .where('space_id', '=', scope.spaceId)
    .where('app_id', '=', scope.appId)
    .orderBy('name')
    .orderBy('id')
    .execute()
  return rows.map(toRecord)
}

/**
 * Returns a function that resolves fields with the app's custom types. Loads the types only if some of `fields` need
 * them.
 */
export async function loadResolver(
  db: Db,
  scope: AppScope,
  ...fields: Field[][]
): Promise<(fields: Field[]) => Field[]> {
  return createResolver(fields.some(namesCustomTypes) ? await listCustomTypes(db, scope) : [])
}

/** Inserts a custom type. Throws `CustomFieldTypeIsAlreadyInUse` if the app has a type with this uid or name. */
export async function insertCustomType(
  db: Db,
  scope: AppScope,
  { _id, uid, name, description, fields }: CustomTypeValues & { _id: string },
): Promise<CustomTypeRecord> {
  const row = await db
    .insertInto('custom_type')
    .values({
      space_id: scope.spaceId,
      app_id: scope.appId,
      public_id: _id,
      uid,
      name,
      description,
      fields: JSON.stringify(fields),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(whenUidIsTaken)
    .catch(whenNameIsTaken)
  return toRecord(row)
}

/** Updates the custom type and increments its version. Throws `CustomFieldTypeIsAlreadyInUse`. */
export async function updateCustomType(
  db: Db,
  scope: AppScope,
  id: number,
  { uid, name, description, fields }: CustomTypeValues,
): Promise<CustomTypeRecord> {
  const row = await db
    .updateTable('custom_type')
    .set({
      uid,
      name,
      description,
      fields: JSON.stringify(fields),
      version: sql`version + 1`,
      updated_at: sql`clock_timestamp()`,
    })
    .where('space_id', '=', scope.spaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(whenUidIsTaken)
    .catch(whenNameIsTaken)
  return toRecord(row)
}

/** Deletes the custom type. Its changes can no longer be undone. */
export async function deleteCustomType(db: Db, scope: AppScope, id: number): Promise<void> {
  await forgetTypeChanges(db, scope, id)
  await db.deleteFrom('custom_type').where('space_id', '=', scope.spaceId).where('id', '=', id).execute()
}

/** Rewrites the fields of the app's custom types where `map` changes them. */
export async function rewriteCustomTypes(
  db: Db,
  scope: AppScope,
  map: (field: Field) => Field,
): Promise<void> {
  for (const type of await listCustomTypes(db, scope)) {
    const fields = type.fields.map(map)
    if (!isDeepStrictEqual(fields, type.fields))
      await updateCustomType(db, scope, type.id, { ...type, fields })
  }
}
