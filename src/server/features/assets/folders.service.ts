import { accountOf } from '#server/access/actor.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { newId } from '#server/lib/ids.ts'
import { assetListQuery } from '#shared/contract/assets.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import {
  type AssetFolder,
  changeFolder,
  insertFolder,
  removeFolder,
  selectFolders,
} from './folders.repository.ts'

interface FolderInput {
  name?: string | undefined
  filter?: Record<string, string> | undefined
}

const maximumFolders = 200

/** Returns the space's folders, in order of creation. */
export async function listFolders({ db, scope }: SpaceContext): Promise<AssetFolder[]> {
  return selectFolders(db, scope, maximumFolders)
}

/** Creates a folder. Throws 400 for an invalid filter, and if the space already has `maximumFolders`. */
export async function createFolder(
  ctx: SpaceContext,
  { name, filter }: Required<FolderInput> & { name: string; filter: Record<string, string> },
): Promise<AssetFolder> {
  checkFilter(filter)
  if ((await listFolders(ctx)).length >= maximumFolders)
    throw invalid('data', 'TooManyItems', { maximum: maximumFolders })
  const folder = { id: newId(), name, filter }
  await insertFolder(ctx.db, ctx.scope, folder, accountOf(ctx.actor))
  return folder
}

/** Updates a folder; omitted properties stay. Throws 400, 404. */
export async function updateFolder(
  { db, scope }: SpaceContext,
  id: string,
  { name, filter }: FolderInput,
): Promise<AssetFolder> {
  if (filter) checkFilter(filter)
  const folder = idPattern.test(id) ? await changeFolder(db, scope, id, { name, filter }) : undefined
  if (!folder) throw new AppError('NotFound')
  return folder
}

/** Deletes a folder. Throws 404. */
export async function deleteFolder({ db, scope }: SpaceContext, id: string): Promise<void> {
  if (!idPattern.test(id) || !(await removeFolder(db, scope, id))) throw new AppError('NotFound')
}

/** Throws 400 with the name of the first parameter that the asset list would reject. */
function checkFilter(filter: Record<string, string>): void {
  const issue = assetListQuery.safeParse(filter).error?.issues[0]
  if (!issue) return
  const culprit = issue.code === 'unrecognized_keys' ? issue.keys[0] : issue.path.join('.')
  throw invalid(
    `data.filter.${(culprit ?? '').slice(0, 100)}`,
    issue.code === 'unrecognized_keys' ? 'UnknownField' : 'InvalidValue',
  )
}
