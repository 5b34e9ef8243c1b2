import type { AccountRow } from '#server/access/account.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { AccountContext } from '#server/access/context.ts'
import { type Db, inTransaction } from '#server/db/scope.ts'
import { receiveOwnPicture } from '#server/features/assets/own-pictures.service.ts'
import type { accountEndpoints } from '#shared/contract/accounts.ts'
import type { BodyOf, FileAnswer, FilePart } from '#shared/contract/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import * as accounts from './accounts.repository.ts'

/** Changes the caller's own account. Throws 404 for another account's id. */
export async function updateAccount(
  ctx: AccountContext,
  id: string,
  { data: { name, language, colorScheme, icon } }: BodyOf<(typeof accountEndpoints)['updateAccount']>,
): Promise<AccountRow> {
  requireOwn(ctx, id)
  noteAudit(ctx, { before: { name: ctx.actor.name, language: ctx.actor.language } })
  const change = (db: Db) =>
    accounts.updateAccount(db, id, {
      ...(name === undefined ? {} : { name }),
      ...(language ? { language } : {}),
      ...(colorScheme ? { color_scheme: colorScheme } : {}),
    })
  if (icon === undefined) return change(ctx.db)
  return inTransaction(ctx.db, async (tx) => {
    await change(tx)
    return accounts.setIcon(tx, id, null)
  })
}

/** Throws 404 for any other account's id, whether it exists or not. */
export function requireOwn(ctx: AccountContext, id: string): void {
  if (id !== ctx.actor.accountId) throw new AppError('NotFound')
}

/** Replaces the caller's icon. Throws 404 for another account's id, and the errors of `receiveOwnPicture`. */
export async function uploadIcon(
  ctx: AccountContext,
  signal: AbortSignal,
  accountId: string,
  files: AsyncIterable<FilePart>,
): Promise<AccountRow> {
  requireOwn(ctx, accountId)
  const work = { services: ctx.services, spaceId: null, signal }
  const { id, mediaType, bytes } = await receiveOwnPicture(work, files, 'icon')
  signal.throwIfAborted()
  return inTransaction(ctx.db, (tx) => accounts.setIcon(tx, accountId, { id, media_type: mediaType, bytes }))
}

/**
 * Returns the bytes of an account's icon. Needs no permission check, because only users who may see the icon get its
 * `_id`. Throws 404 if it was replaced or removed.
 */
export async function readIcon(
  { db }: AccountContext,
  accountId: string,
  iconId: string,
): Promise<FileAnswer> {
  const areIds = idPattern.test(accountId) && idPattern.test(iconId)
  const icon = areIds ? await accounts.findIcon(db, accountId, iconId) : null
  if (!icon) throw new AppError('NotFound')
  const { mediaType: type, bytes } = icon
  return { bytes: inOnePiece(bytes), fileName: 'icon', type, size: bytes.length, isLasting: true }
}

async function* inOnePiece(bytes: Buffer) {
  yield bytes
}
