import type { Db, SpaceScope } from '#server/db/scope.ts'
import {
  handOverAssets,
  insertCarryModels,
  type MadeModel,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { isCarried, type PlannedParts } from '#shared/contract/move-plans.ts'
import type { Additions, MoveFileKind } from '#shared/contract/move-updates.ts'
import { type Base, forgetBases, isSameState, putBases, type SourceState } from '../store/bases.repository.ts'
import { putFileBase } from '../store/changed-files.repository.ts'
import type { ExistingDocument } from '../store/existing.repository.ts'
import { findLastAdditions, findMovePlan, lockMove, updateMove } from '../store/moves.repository.ts'
import { type AppHere, partsHere } from './additions.ts'

/** The plan of the app, for the transaction that creates the additions. */
interface OpenPlan {
  plan: PlannedParts
  /**
   * Stores the plan with the additions, unless there is no baseline. Returns the plan by which documents are imported.
   */
  adopt(made: { plan: PlannedParts; models: MadeModel[] }): Promise<PlannedParts>
}

/**
 * The record of earlier imports into the app, with which an archive is compared. {@link noBaseline} records nothing.
 */
export interface Baseline {
  /** Returns the models, fields and custom types of the archive that are not new. */
  known(read: PlannedParts, here: AppHere): PlannedParts
  /** Returns the additions of the last update with the decisions about them. */
  lastAdditions(db: Db): Promise<Additions | undefined>
  /**
   * Returns whether a document needs no update because its times and order equal its times and order at the source.
   * Always false for an update, which compares bases instead.
   */
  isUpToDate(existing: ExistingDocument, theirs: SourceState): boolean
  /** Whether documents that the archive lacks count as deleted at the source. */
  tellsGone: boolean
  /** Whether documents of new models are counted as importable. */
  countsNewModels: boolean
  /** Returns the kind under which a differing file is offered to the user. */
  fileKind(found: MoveFileKind): MoveFileKind
  openPlan(db: Db): Promise<OpenPlan>
  keepDocuments(
    db: Db,
    modelId: number,
    kept: readonly (Base & { id: string })[],
    gone: readonly string[],
  ): Promise<void>
  keepFile(db: Db, file: { id: string; hash: Buffer; version: number; archivedAt: Date }): Promise<void>
  /** Passes the files of the finished move to the move that created the app, if that one can still be undone. */
  finish(db: Db): Promise<void>
}

/**
 * Baseline of an update: the app was created by the move `originId`, whose bases record the imported state of each
 * document and file.
 */
export const baselineOfOrigin = (
  scope: SpaceScope,
  { moveId, originId, plan }: { moveId: string; originId: string; plan: PlannedParts },
): Baseline => ({
  known: () => plan,
  lastAdditions: (db) => findLastAdditions(db, scope, originId),
  isUpToDate: () => false,
  tellsGone: true,
  countsNewModels: false,
  fileKind: (found) => found,
  async openPlan(db) {
    const origin = await lockMove(db, scope, originId)
    const stored = await findMovePlan(db, scope, originId)
    return {
      plan: stored && !isCarried(stored) ? stored : plan,
      async adopt(made) {
        // As long as the move that created the app can be undone, undoing it must also remove these models.
        if (origin?.state === 'imported') await insertCarryModels(db, scope, originId, made.models)
        if (stored && !isCarried(stored))
          await updateMove(db, scope, originId, { plan: { ...stored, ...made.plan } })
        return made.plan
      },
    }
  },
  async keepDocuments(db, modelId, kept, gone) {
    await putBases(db, scope, { moveId: originId, modelId }, kept)
    await forgetBases(db, scope, modelId, gone)
  },
  keepFile: (db, file) => putFileBase(db, scope, { moveId: originId, ...file }),
  async finish(db) {
    // As long as the move that created the app can be undone, undoing it must also remove these files.
    const origin = await lockMove(db, scope, originId)
    if (origin?.state === 'imported') await handOverAssets(db, scope, { from: moveId, to: originId })
  },
})

/** Baseline of an import into an app, without any record of earlier imports. Bases of other moves stay unchanged. */
export const noBaseline = (
  scope: SpaceScope,
  { moveId, plan }: { moveId: string; plan: PlannedParts },
): Baseline => ({
  known: partsHere,
  lastAdditions: async () => undefined,
  isUpToDate: (existing, theirs) => !existing.isTrashed && isSameState(existing, theirs),
  tellsGone: false,
  countsNewModels: true,
  // The media library belongs to the space, so no file is replaced unless a user chooses it.
  fileKind: () => 'both',
  async openPlan(db) {
    await lockMove(db, scope, moveId)
    return { plan, adopt: async () => plan }
  },
  async keepDocuments() {},
  async keepFile() {},
  async finish() {},
})
