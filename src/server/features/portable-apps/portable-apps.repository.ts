import type { Selectable } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { CarryModelTable } from '#server/db/tables.ts'
import type { CarryProblem } from './portable-apps.problems.ts'

export type CarryModelRow = Selectable<CarryModelTable>

/** A created model with its uid in the source, and its expected number of documents. */
export interface MadeModel {
  model: string
  modelId: number
  total: number
}

export async function insertCarryModels(
  db: Db,
  { spaceId }: SpaceScope,
  carryId: string,
  models: readonly MadeModel[],
): Promise<void> {
  if (models.length === 0) return
  await db
    .insertInto('carry_model')
    .values(
      models.map(({ model, modelId, total }) => ({
        space_id: spaceId,
        carry_id: carryId,
        model,
        model_id: modelId,
        total,
      })),
    )
    .execute()
}

export function listCarryModels(db: Db, { spaceId }: SpaceScope, carryId: string): Promise<CarryModelRow[]> {
  return db
    .selectFrom('carry_model')
    .selectAll()
    .where('space_id', '=', spaceId)
    .where('carry_id', '=', carryId)
    .orderBy('model_id')
    .execute()
}

/**
 * Advances a model's progress from document number `before` to `done`, in the transaction of its documents. Returns
 * false if another run was faster.
 */
export async function advanceCarryModel(
  db: Db,
  { space_id, carry_id, model }: Pick<CarryModelRow, 'space_id' | 'carry_id' | 'model'>,
  {
    before,
    done,
    lastId,
    problems,
  }: { before: number; done: number; lastId?: string | null; problems: CarryProblem[] },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('carry_model')
    .set({ done, problems: storedJson(problems), ...(lastId == null ? {} : { last_id: lastId }) })
    .where('space_id', '=', space_id)
    .where('carry_id', '=', carry_id)
    .where('model', '=', model)
    .where('done', '=', before)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export interface CarryAssetRow {
  assetId: string
  made: boolean
  problem: string | null
}

export async function listCarryAssets(
  db: Db,
  { spaceId }: SpaceScope,
  carryId: string,
): Promise<CarryAssetRow[]> {
  return db
    .selectFrom('carry_asset')
    .select(['asset_id as assetId', 'made', 'problem'])
    .where('space_id', '=', spaceId)
    .where('carry_id', '=', carryId)
    .execute()
}

export async function insertCarryAsset(
  db: Db,
  { spaceId }: SpaceScope,
  carryId: string,
  { assetId, made, problem }: CarryAssetRow,
): Promise<void> {
  await db
    .insertInto('carry_asset')
    .values({ space_id: spaceId, carry_id: carryId, asset_id: assetId, made, problem })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Copies the records of the files that the work `from` created to the work `to`, so that undoing `to` removes these
 * files.
 */
export async function handOverAssets(
  db: Db,
  { spaceId }: SpaceScope,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await db
    .insertInto('carry_asset')
    .columns(['space_id', 'carry_id', 'asset_id', 'made', 'problem'])
    .expression((query) =>
      query
        .selectFrom('carry_asset')
        .select((select) => ['space_id', select.val(to).as('carry_id'), 'asset_id', 'made', 'problem'])
        .where('space_id', '=', spaceId)
        .where('carry_id', '=', from)
        .where('made', '=', true),
    )
    .onConflict((conflict) =>
      conflict.columns(['space_id', 'carry_id', 'asset_id']).doUpdateSet({ made: true, problem: null }),
    )
    .execute()
}

/** Deletes the progress of a work. */
export async function deleteProgress(db: Db, { spaceId }: SpaceScope, carryId: string): Promise<void> {
  for (const table of ['carry_model', 'carry_asset'] as const)
    await db.deleteFrom(table).where('space_id', '=', spaceId).where('carry_id', '=', carryId).execute()
}
