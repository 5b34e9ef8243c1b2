import type { Logger } from 'pino'
import type { Manifest } from '#archive/format.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { UploadEnvironment } from '#server/features/assets/asset-imports.service.ts'
import type { InApp } from '#server/features/portable-apps/portable-apps.service.ts'
import type { Storages } from '#server/storage/index.ts'
import type { AssetHost } from '#shared/asset-address.ts'
import type { JobUnit } from '#shared/contract/jobs.ts'
import type { MovePlan } from '#shared/contract/move-plans.ts'

/** What an import works with. */
export interface Importing extends InApp {
  storages: Storages
  environment: UploadEnvironment
  host: AssetHost
  log: Logger
  moveId: string
  /** By which files get `_id`s that have none: apps that come together share what they show. */
  fileOwner: string
  plan: MovePlan
  source: ArchiveSource
  manifest: Manifest
  /** For what is of no use afterwards. */
  workFolder: string
  progress(done: number, total: number, unit?: JobUnit): Promise<void>
  at(what: string): void
  signal: AbortSignal
}
