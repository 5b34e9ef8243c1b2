import type { SpaceContext } from '#server/access/context.ts'
import {
  deleteProgress,
  insertCarryModels,
  type MadeModel,
} from '#server/features/portable-apps/portable-apps.service.ts'
import {
  type AnyMovePlan,
  type CarriedCorrections,
  type MoveCorrections,
  moveProblems,
} from '#shared/contract/move-plans.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { archivePath } from '../archive/archive-files.ts'
import { movePlanContext, planChecked } from '../check/check-archive.ts'
import type { MoveWork } from '../import/import-context.ts'
import { removeApp } from '../import/undo.ts'
import { withAppClash } from '../store/clashes.repository.ts'
import { findMovePlan, updateMove } from '../store/moves.repository.ts'
import { isStartable, notReady } from '../store/open-move.ts'
import { requireItsApps } from '../store/owners.ts'
import { refuseWhileUpdated } from '../update/updates.service.ts'
import type { Kind } from './move-kind.ts'
import { requireToMoveApps } from './rights.ts'

/** An app of a move: the whole archive, or the part of it in the folder `part`. */
export interface PlannedAppOf<Plan> {
  id: string
  plan: Plan
  part?: string | undefined
}

/** The steps that differ between the kinds that create one app. */
interface OneApp<Plan extends AnyMovePlan> {
  /** Returns the plan with its specific type. Throws for a plan of another kind. */
  read(plan: AnyMovePlan): Plan
  /** Returns the corrected plan. Throws 400. */
  correct(plan: Plan, corrections: MoveCorrections | CarriedCorrections): Plan
  /**
   * Creates the app and its models, without documents. Throws 400, `MoveFileIsGone` (409) and `AppUidIsAlreadyInUse`.
   */
  make(
    ctx: SpaceContext,
    path: string,
    app: PlannedAppOf<Plan>,
  ): Promise<{ appId: number; models: MadeModel[] }>
  fill(work: MoveWork & { appId: number }, app: PlannedAppOf<Plan>): Promise<void>
  models(plan: Plan): { uid: string; name: string; documents: number }[]
}

/** A kind that creates one app. */
export interface AppKind extends Kind {
  open(ctx: SpaceContext, path: string, app: PlannedAppOf<AnyMovePlan>): Promise<number>
  fill(work: MoveWork, app: PlannedAppOf<AnyMovePlan> & { appId: number }): Promise<void>
  models(plan: AnyMovePlan): { uid: string; name: string; documents: number }[]
}

export function appKind<Plan extends AnyMovePlan>(one: OneApp<Plan>): AppKind {
  const { read } = one
  const kind: AppKind = {
    right: 'app.manage',
    async check(work) {
      const { db, scope, moveId, path, signature } = work
      const planned = await planChecked({ path }, movePlanContext(work, signature))
      await updateMove(db, scope, moveId, { state: 'planned', ...planned })
    },
    async plan({ db, scope }, { id, state }) {
      const plan = await findMovePlan(db, scope, id)
      if (!plan) throw new AppError('NotFound')
      return isStartable(state) ? withAppClash(db, scope, plan) : plan
    },
    async correct(ctx, move, corrections) {
      const plan = one.correct(read(await kind.plan(ctx, move)), corrections)
      return withAppClash(ctx.db, ctx.scope, plan)
    },
    async start(ctx, move) {
      const plan = await kind.plan(ctx, move)
      const problem = plan.problems.find(({ code }) => moveProblems[code] === 'stops')
      if (problem) throw new AppError('MovePlanHasProblems', { details: { problem: problem.code } })
      const path = archivePath(ctx.services.config.dataDir, ctx.scope.spaceId, move.id)
      return { appId: await kind.open(ctx, path, { id: move.id, plan }) }
    },
    async run(work) {
      const { db, scope, moveId, move } = work
      const plan = await findMovePlan(db, scope, moveId)
      if (plan && move.appId !== null) await kind.fill(work, { id: moveId, plan, appId: move.appId })
    },
    requireMayGoOn: requireToMoveApps,
    async undo(ctx, move) {
      await requireItsApps(ctx, move)
      await refuseWhileUpdated(ctx, move.id)
      if (move.appId !== null) await removeApp(ctx, move.appId)
    },
    async accept() {},
    async forget(ctx, move) {
      // A partial import can be undone, but its move cannot be deleted.
      if (move.state === 'importing') throw notReady(move.state)
      await requireItsApps(ctx, move)
      await refuseWhileUpdated(ctx, move.id)
      await deleteProgress(ctx.db, ctx.scope, move.id)
    },
    async open(ctx, path, { plan, ...app }) {
      if (plan.models.length === 0) throw invalid('models', 'Required')
      const { appId, models } = await one.make(ctx, path, { ...app, plan: read(plan) })
      await deleteProgress(ctx.db, ctx.scope, app.id)
      await insertCarryModels(ctx.db, ctx.scope, app.id, models)
      return appId
    },
    fill: (work, { appId, plan, ...app }) =>
      one.fill({ ...work, moveId: app.id, appId }, { ...app, plan: read(plan) }),
    models: (plan) => one.models(read(plan)),
  }
  return kind
}

/** Returns the error for a row or archive that contradicts its kind. */
export const contradicts = (): TypeError => new TypeError('the plan is not of this archive')
