import type { SpaceContext } from '#server/access/context.ts'
import type { AnyMovePlan, CarriedCorrections, MoveCorrections } from '#shared/contract/move-plans.ts'
import type { AppRight } from '#shared/permissions.ts'
import type { CheckWork, MoveWork } from '../import/import-context.ts'
import type { MoveChanges, MoveRow } from '../store/moves.repository.ts'

/**
 * What the moves of one kind do at each step. The service and the jobs check whether the state allows a step, then call
 * these methods; nothing else depends on the kind.
 */
export interface Kind {
  /** The right that the account of a job needs in the app it writes to. */
  right: AppRight
  /** In a job: verifies the archive, and writes the plan or the refusal. */
  check(work: CheckWork): Promise<void>
  /** The plan; for a move that can be started, with its current conflicts. Throws 404 for kinds without a plan. */
  plan(ctx: SpaceContext, move: MoveRow): Promise<AnyMovePlan>
  /** The plan with these corrections, which are not stored yet. Throws 400 naming every invalid one, 404. */
  correct(
    ctx: SpaceContext,
    move: MoveRow,
    corrections: MoveCorrections | CarriedCorrections,
  ): Promise<AnyMovePlan>
  /**
   * Creates the empty apps that the import fills; `begun` is written to the move and its parts. Throws 400, 403, 404,
   * 409.
   */
  start(ctx: SpaceContext, move: MoveRow, begun: MoveChanges): Promise<MoveChanges>
  /** In a job: imports everything that is not imported yet. Can be interrupted at any time and run again. */
  run(work: MoveWork): Promise<void>
  /**
   * Throws 403 for callers who may not (or no longer) do what the move does in its present state, even if they started
   * it.
   */
  requireMayGoOn(ctx: SpaceContext, move: MoveRow): Promise<void>
  /** Deletes the apps of the move; a job removes their contents. Throws 403, 409 also for kinds that cannot be undone as a whole. */
  undo(ctx: SpaceContext, move: MoveRow): Promise<void>
  /** Accepts the parts of the move. */
  accept(ctx: SpaceContext, move: MoveRow): Promise<void>
  /** Deletes what is stored in addition to the row of the move. Throws 403, 409. */
  forget(ctx: SpaceContext, move: MoveRow): Promise<void>
}
