import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { AnyMovePlan } from '#shared/contract/move-plans.ts'
import type { MoveKind, MoveReport, StoredMoveState } from '#shared/contract/moves.ts'

/** One app of a move of several apps, with its plan. */
export interface AppPart {
  id: string
  kind: MoveKind
  state: StoredMoveState
  part: string
  chosen: boolean
  plan: AnyMovePlan
  appId: number | null
  report: MoveReport | null
}

/** Returns the parts of a move in the order in which they are imported. */
export async function listAppParts(db: Db, { spaceId }: SpaceScope, moveId: string): Promise<AppPart[]> {
  const rows = await db
    .selectFrom('move')
    .select(['id', 'kind', 'state', 'part', 'chosen', 'plan', 'app_id as appId', 'report'])
    .where('space_id', '=', spaceId)
    .where('parent_id', '=', moveId)
    .orderBy('part_position')
    .execute()
  return rows.flatMap(({ part, plan, ...row }) =>
    part === null || plan === null ? [] : { ...row, part, plan },
  )
}

/** Inserts the planned parts of a move, each as a row of `move`. */
export async function insertAppParts(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
  parts: readonly (Pick<AppPart, 'id' | 'kind' | 'part' | 'plan'> & {
    bytes: number
    createdBy: string | null
  })[],
): Promise<void> {
  await db
    .insertInto('move')
    .values(
      parts.map(({ id, kind, part, plan, bytes, createdBy }, index) => ({
        space_id: spaceId,
        id,
        kind,
        state: 'planned' as const,
        file_name: part,
        file_size: bytes,
        plan: storedJson(plan),
        parent_id: moveId,
        part,
        part_position: index,
        created_by: createdBy,
      })),
    )
    .execute()
}

/**
 * Returns the number of files of these moves that are in the library, without files that had a problem. Shared files
 * are counted once.
 */
export async function countAssets(db: Db, { spaceId }: SpaceScope, ids: readonly string[]): Promise<number> {
  const row = await db
    .selectFrom('carry_asset')
    .select(({ fn }) => fn.count<string>('asset_id').distinct().as('count'))
    .where('space_id', '=', spaceId)
    .where(sql<boolean>`carry_id = ANY(${[...ids]}::text[])`)
    .where('problem', 'is', null)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Returns the new apps whose import job is running or waiting. A part is imported by the job of the whole move. */
export async function findAppsMovingIn(db: Db, { spaceId }: SpaceScope): Promise<number[]> {
  const { rows } = await sql<{ app: number }>`
    SELECT move.app_id AS app FROM move
    LEFT JOIN move AS whole ON whole.space_id = move.space_id AND whole.id = move.parent_id
    JOIN job ON job.id = coalesce(whole.job_id, move.job_id)
    WHERE move.space_id = ${spaceId} AND move.state = 'importing' AND move.kind IN ('contents', 'carried') AND move.app_id IS NOT NULL
      AND job.state IN ('waiting', 'running')`.execute(db)
  return rows.map(({ app }) => app)
}
