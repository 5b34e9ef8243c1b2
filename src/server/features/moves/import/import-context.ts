import type { Manifest } from '#archive/format.ts'
import type { Signature } from '#archive/signature.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { Db } from '#server/db/scope.ts'
import type { InApp } from '#server/features/portable-apps/portable-apps.service.ts'
import type { JobUnit } from '#shared/contract/jobs.ts'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import type { MoveRow } from '../store/moves.repository.ts'
import type { Turn } from '../store/turn.ts'

export interface MoveWork extends Omit<InApp, 'appId'> {
  move: MoveRow
  /** `_id` of the move. While an app of a move of several apps is imported: `_id` of its part. */
  moveId: string
  path: string
  /**
   * Seed of the ids that are derived for files without an `_id`. The apps of one move have the same seed, so that they
   * share these files.
   */
  fileOwner: string
  turn: Turn
  progress(done: number, total?: number | null, unit?: JobUnit): Promise<void>
  at(what: string): void
  signal: AbortSignal
}

export interface CheckWork extends MoveWork {
  /** The folders of the archives in the file. With fewer than two, the whole file is one archive. */
  archives: readonly string[]
  /** The signature of an archive that has already been verified. */
  signature: Signature | null
  /** Enqueues the import, in the given transaction. */
  beginImport(db: Db): Promise<void>
}

export interface Importing extends MoveWork {
  appId: number
  plan: MovePlan
  source: ArchiveSource
  manifest: Manifest
  workFolder: string
}
