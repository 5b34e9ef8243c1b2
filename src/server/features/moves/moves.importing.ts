import type { Logger } from 'pino'
import type { Manifest } from '#archive/format.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { Actor } from '#server/access/actor.ts'
import type { AppContext } from '#server/access/context.ts'
import { type Db, inTransaction, type SpaceScope } from '#server/db/scope.ts'
import type { UploadEnvironment } from '#server/features/assets/asset-imports.service.ts'
import type { Storages } from '#server/storage/index.ts'
import type { AssetHost } from '#shared/asset-address.ts'
import type { MovePlan } from '#shared/contract/moves.ts'
import { AppError } from '#shared/errors.ts'
import { findAppContext } from './moves.context.ts'

/** What an import works with. */
export interface Importing {
  db: Db
  scope: SpaceScope
  actor: Actor
  storages: Storages
  environment: UploadEnvironment
  host: AssetHost
  log: Logger
  moveId: string
  appId: number
  plan: MovePlan
  source: ArchiveSource
  manifest: Manifest
  /** For what is of no use afterwards. */
  workFolder: string
  progress(done: number, total: number): Promise<void>
  signal: AbortSignal
}

/** Does `work` in a transaction with the app that the move made. Throws `NotFound` when somebody has deleted it. */
export function inApp<T>(
  { db, scope, actor, appId }: Pick<Importing, 'db' | 'scope' | 'actor' | 'appId'>,
  work: (ctx: AppContext) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (tx) => {
    const ctx = await findAppContext({ db: tx, scope, actor }, appId)
    if (!ctx) throw new AppError('NotFound')
    return work(ctx)
  })
}
