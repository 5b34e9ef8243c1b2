import { accountOf } from '#server/access/actor.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { newId } from '#server/lib/ids.ts'
import { assetListQuery } from '#shared/contract/assets.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'

/** A saved filter of the library; `filter` are parameters of the list. */
export interface AssetFolder {
  id: string
  name: string
  filter: Record<string, string>
}

interface FolderInput {
  name?: string | undefined
  filter?: Record<string, string> | undefined
}

const maximumFolders = 200

/** In the order in which they were made. */
export async function listFolders({ db, scope }: SpaceContext): Promise<AssetFolder[]> {
  return db
    .selectFrom('asset_folder')
    .select(['id', 'name', 'filter'])
    .where('space_id', '=', scope.spaceId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(maximumFolders)
    .execute()
}

/** Throws 400 for what is no filter of the list. */
export async function createFolder(
  ctx: SpaceContext,
  { name, filter }: Required<FolderInput> & { name: string; filter: Record<string, string> },
): Promise<AssetFolder> {
  checkFilter(filter)
  if ((await listFolders(ctx)).length >= maximumFolders)
    throw invalid('data', 'TooManyItems', { maximum: maximumFolders })
  const folder = { id: newId(), name, filter }
  await ctx.db
    .insertInto('asset_folder')
    .values({
      ...folder,
      filter: JSON.stringify(filter),
      space_id: ctx.scope.spaceId,
      created_by: accountOf(ctx.actor),
    })
    .execute()
  return folder
}

/** What is left out stays. Throws 400, 404. */
export async function updateFolder(
  { db, scope }: SpaceContext,
  id: string,
  { name, filter }: FolderInput,
): Promise<AssetFolder> {
  if (filter) checkFilter(filter)
  const folder = idPattern.test(id)
    ? await db
        .updateTable('asset_folder')
        .set({
          id,
          ...(name === undefined ? {} : { name }),
          ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
        })
        .where('space_id', '=', scope.spaceId)
        .where('id', '=', id)
        .returning(['id', 'name', 'filter'])
        .executeTakeFirst()
    : undefined
  if (!folder) throw new AppError('NotFound')
  return folder
}

/** Throws 404. */
export async function deleteFolder({ db, scope }: SpaceContext, id: string): Promise<void> {
  const row = idPattern.test(id)
    ? await db
        .deleteFrom('asset_folder')
        .where('space_id', '=', scope.spaceId)
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst()
    : undefined
  if (!row) throw new AppError('NotFound')
}

/** Throws 400 at the parameter that a list would refuse. */
function checkFilter(filter: Record<string, string>): void {
  const issue = assetListQuery.safeParse(filter).error?.issues[0]
  if (!issue) return
  const culprit = issue.code === 'unrecognized_keys' ? issue.keys[0] : issue.path.join('.')
  throw invalid(
    `data.filter.${(culprit ?? '').slice(0, 100)}`,
    issue.code === 'unrecognized_keys' ? 'UnknownField' : 'InvalidValue',
  )
}
