import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { AnyMovePlan } from '#shared/contract/move-plans.ts'
import type { AppLink, MoveReport, StoredMoveState } from '#shared/contract/moves.ts'

/** One of several apps of a move, with its plan. */
export interface AppPart {
  id: string
  state: StoredMoveState
  /** The folder of the archive. */
  part: string
  chosen: boolean
  plan: AnyMovePlan
  appId: number | null
  report: MoveReport | null
}

/** In the order in which they are made. */
export async function listAppParts(db: Db, { spaceId }: SpaceScope, moveId: string): Promise<AppPart[]> {
  const rows = await db
    .selectFrom('move')
    .select(['id', 'state', 'part', 'chosen', 'plan', 'app_id as appId', 'report'])
    .where('space_id', '=', spaceId)
    .where('parent_id', '=', moveId)
    .orderBy('part_position')
    .execute()
  return rows.flatMap(({ part, plan, ...row }) =>
    part === null || plan === null ? [] : { ...row, part, plan },
  )
}

/** Plans the parts of a move; each becomes a move of its own. */
export async function insertAppParts(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
  parts: readonly (Pick<AppPart, 'id' | 'part' | 'plan'> & { bytes: number; createdBy: string | null })[],
): Promise<void> {
  await db
    .insertInto('move')
    .values(
      parts.map(({ id, part, plan, bytes, createdBy }, index) => ({
        space_id: spaceId,
        id,
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

export async function updateAppPart(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  { chosen, plan }: Pick<AppPart, 'chosen' | 'plan'>,
): Promise<void> {
  await db
    .updateTable('move')
    .set({ chosen, plan: storedJson(plan) })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
}

/** Which apps of a move name documents of others. */
export async function findAppLinks(db: Db, { spaceId }: SpaceScope, moveId: string): Promise<AppLink[]> {
  const row = await db
    .selectFrom('move')
    .select('app_links')
    .where('space_id', '=', spaceId)
    .where('id', '=', moveId)
    .executeTakeFirst()
  return row?.app_links ?? []
}

export async function saveAppLinks(
  db: Db,
  { spaceId }: SpaceScope,
  moveId: string,
  links: readonly AppLink[],
): Promise<void> {
  await db
    .updateTable('move')
    .set({ app_links: storedJson(links) })
    .where('space_id', '=', spaceId)
    .where('id', '=', moveId)
    .execute()
}

/** How many files of the library these moves brought: what two of them have is one. */
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

/** The apps whose contents a job is bringing in, or is about to: of parts, that of the whole. */
export async function findAppsMovingIn(db: Db, { spaceId }: SpaceScope): Promise<number[]> {
  const { rows } = await sql<{ app: number }>`
    SELECT move.app_id AS app FROM move
    LEFT JOIN move AS whole ON whole.space_id = move.space_id AND whole.id = move.parent_id
    JOIN job ON job.id = coalesce(whole.job_id, move.job_id)
    WHERE move.space_id = ${spaceId} AND move.state = 'importing' AND move.updates IS NULL AND move.app_id IS NOT NULL
      AND job.state IN ('waiting', 'running')`.execute(db)
  return rows.map(({ app }) => app)
}
