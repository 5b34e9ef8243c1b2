import type { Manifest } from '#archive/format.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { InApp } from '#server/features/portable-apps/portable-apps.service.ts'
import type { JobUnit } from '#shared/contract/jobs.ts'
import type { MovePlan } from '#shared/contract/move-plans.ts'

/** What an import works with. */
export interface Importing extends InApp {
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
