import { sql } from 'kysely'
import type { PortableApp } from '#archive/app-format.ts'
import type { AppScope, Db } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { Language } from '#shared/languages.ts'
import type { Parts } from './template-updates.compare.ts'

/** `_id`s of fields by uid, for each owner: `model <uid>` or `customType <uid>`. */
export type FieldIds = Record<string, Record<string, string>>

/**
 * Data for undoing an update: its time, the template version that the app followed before (`version`, `base`), and the
 * parts of the app before and after it.
 */
export interface UpdateUndo {
  at: string
  version: number | null
  base: PortableApp
  before: Parts
  after: Parts
  /** `_id`s of the fields before the update. */
  fieldIds: FieldIds
  /**
   * Versions of the changed models after the update, by model `_id`. They identify the stored changes that an undo
   * reverts.
   */
  changes: Record<string, number>
}

export interface AppOrigin {
  template: string
  /** null: a built-in template. */
  version: number | null
  language: Language
  carryId: string
  parts: PortableApp
  undo: UpdateUndo | null
}

export async function insertOrigin(
  db: Db,
  { spaceId, appId }: AppScope,
  { template, version, language, carryId, parts }: Omit<AppOrigin, 'undo'>,
): Promise<void> {
  await db
    .insertInto('app_origin')
    .values({
      space_id: spaceId,
      app_id: appId,
      template,
      version,
      language,
      carry_id: carryId,
      parts: storedJson(parts),
    })
    .execute()
}

/** Returns the template from which an app was created. undefined: the app was not created from a template. */
export async function findOrigin(
  db: Db,
  { spaceId, appId }: AppScope,
  lock?: 'update',
): Promise<AppOrigin | undefined> {
  const rows = db
    .selectFrom('app_origin')
    .select(['template', 'version', 'carry_id as carryId'])
    .select(sql<Language>`language`.as('language'))
    .select([sql<PortableApp>`parts`.as('parts'), sql<UpdateUndo | null>`undo`.as('undo')])
    .where('space_id', '=', spaceId)
    .where('app_id', '=', appId)
  return (lock ? rows.forNoKeyUpdate() : rows).executeTakeFirst()
}

export async function updateOrigin(
  db: Db,
  { spaceId, appId }: AppScope,
  { version, parts, undo }: Pick<AppOrigin, 'version' | 'parts' | 'undo'>,
): Promise<void> {
  await db
    .updateTable('app_origin')
    .set({
      version,
      parts: storedJson(parts),
      undo: undo && storedJson(undo),
      updated_at: sql`clock_timestamp()`,
    })
    .where('space_id', '=', spaceId)
    .where('app_id', '=', appId)
    .execute()
}
