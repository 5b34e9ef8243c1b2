import type { SpaceContext } from '#server/access/context.ts'
import type { AnyMovePlan, CarriedCorrections, MoveCorrections } from '#shared/contract/move-plans.ts'
import type { AppRight } from '#shared/permissions.ts'
import type { CheckWork, MoveWork } from '../import/import-context.ts'
import type { MoveChanges, MoveRow } from '../store/moves.repository.ts'

/** The steps of the moves of one kind. The callers check whether the state of a move allows a step. */
export interface Kind {
  /** The right that the account of a job must have in the app to which the job writes. */
  right: AppRight
  /** In a job: verifies the archive, and writes the plan or the refusal. */
  check(work: CheckWork): Promise<void>
  /**
   * Returns the plan. For a move that can be started, the plan contains its current clashes. Throws 404 for kinds
   * without a plan.
   */
  plan(ctx: SpaceContext, move: MoveRow): Promise<AnyMovePlan>
  /**
   * Returns the plan with these corrections, without storing it. Throws 400 with every invalid correction, and 404 for
   * kinds without a plan.
   */
  correct(
    ctx: SpaceContext,
    move: MoveRow,
    corrections: MoveCorrections | CarriedCorrections,
  ): Promise<AnyMovePlan>
  /**
   * Prepares the import. Kinds that import into new apps create these apps without documents. Returns changes for the
   * row of the move. `begun`: changes that the caller writes to the move, and this method to its parts. Throws 400,
   * 403, 404, 409.
   */
  start(ctx: SpaceContext, move: MoveRow, begun: MoveChanges): Promise<MoveChanges>
  /** In a job: imports everything that is not imported yet. Can be interrupted at any time and run again. */
  run(work: MoveWork): Promise<void>
  /**
   * Throws 403 if the caller lacks a right that the current step of the move requires, even if the caller began the
   * move.
   */
  requireMayGoOn(ctx: SpaceContext, move: MoveRow): Promise<void>
  /**
   * Deletes the apps of the move. A job removes their contents. Throws 403. Throws 409, also for kinds that cannot be
   * undone as a whole.
   */
  undo(ctx: SpaceContext, move: MoveRow): Promise<void>
  /** Accepts the parts of the move. */
  accept(ctx: SpaceContext, move: MoveRow): Promise<void>
  /** Deletes the data that is stored in addition to the row of the move. Throws 403, 409. */
  forget(ctx: SpaceContext, move: MoveRow): Promise<void>
}
