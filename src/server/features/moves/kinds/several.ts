import type { SpaceContext } from '#server/access/context.ts'
import { deleteProgress } from '#server/features/portable-apps/portable-apps.service.ts'
import { type AnyMovePlan, moveProblems } from '#shared/contract/move-plans.ts'
import type { AppChoices, AppLink, PlannedApp } from '#shared/contract/moves.ts'
import { AppError, type Issue, invalid } from '#shared/errors.ts'
import { archivePath } from '../archive/archive-files.ts'
import { removeApp } from '../import/undo.ts'
import { checkParts } from '../several/check-parts.ts'
import { importParts } from '../several/import-parts.ts'
import { withAppClash } from '../store/clashes.repository.ts'
import { findAppLinks, updateMove } from '../store/moves.repository.ts'
import { notReady } from '../store/open-move.ts'
import { requireItsApps } from '../store/owners.ts'
import { type AppPart, listAppParts } from '../store/parts.repository.ts'
import { refuseWhileUpdated } from '../update/updates.service.ts'
import { contradicts } from './app-kind.ts'
import { carried } from './carried.ts'
import { contents } from './contents.ts'
import type { Kind } from './move-kind.ts'
import { withoutMovePlan } from './no-move-plan.ts'
import { requireToMoveApps } from './rights.ts'

const kindOfPart = ({ kind }: AppPart) => {
  if (kind !== 'contents' && kind !== 'carried') throw contradicts()
  return { contents, carried }[kind]
}

/** Several apps: several archives in one file, or the archive of a space. Each app is a part with a plan of its own. */
export const several: Kind = {
  ...withoutMovePlan,
  right: 'app.manage',
  check: checkParts,
  async start(ctx, { id }, begun) {
    const parts = await withClashes(ctx, await listAppParts(ctx.db, ctx.scope, id))
    const chosen = parts.filter((part) => part.chosen)
    if (chosen.length === 0) throw invalid('apps', 'Required')
    for (const { plan } of chosen)
      for (const { code } of stops(plan))
        throw new AppError('MovePlanHasProblems', { details: { problem: code, app: plan.app.uid } })
    const path = archivePath(ctx.services.config.dataDir, ctx.scope.spaceId, id)
    for (const part of chosen) {
      const appId = await withAppInPaths(part, () => kindOfPart(part).open(ctx, path, part))
      await updateMove(ctx.db, ctx.scope, part.id, { ...begun, state: 'importing', appId })
    }
    return {}
  },
  run: (work) => importParts(work, (own, part) => kindOfPart(part).fill(own, part)),
  requireMayGoOn: requireToMoveApps,
  async undo(ctx, move) {
    const parts = await requireIdleParts(ctx, move)
    for (const { id, appId } of parts) {
      if (appId === null) continue
      await removeApp(ctx, appId)
      await updateMove(ctx.db, ctx.scope, id, { state: 'undoing' })
    }
  },
  async accept(ctx, move) {
    for (const { id, state } of await listAppParts(ctx.db, ctx.scope, move.id)) {
      if (state !== 'imported') continue
      await updateMove(ctx.db, ctx.scope, id, { state: 'accepted' })
      await deleteProgress(ctx.db, ctx.scope, id)
    }
  },
  async forget(ctx, move) {
    if (move.state === 'importing') throw notReady(move.state)
    for (const { id } of await requireIdleParts(ctx, move)) await deleteProgress(ctx.db, ctx.scope, id)
  },
}

/**
 * Returns the parts. Throws 403 if the caller may not manage their apps, and 409 while one of the apps is being
 * updated.
 */
async function requireIdleParts(ctx: SpaceContext, move: Parameters<Kind['undo']>[1]): Promise<AppPart[]> {
  await requireItsApps(ctx, move)
  const parts = await listAppParts(ctx.db, ctx.scope, move.id)
  for (const { id } of parts) await refuseWhileUpdated(ctx, id)
  return parts
}

export interface MoveApps {
  apps: PlannedApp[]
  links: AppLink[]
}

/**
 * Returns the planned apps of a move. Returns no apps for other kinds. With `startable`, the problems include the
 * current clashes.
 */
export async function listApps(ctx: SpaceContext, moveId: string, startable: boolean): Promise<MoveApps> {
  const found = await listAppParts(ctx.db, ctx.scope, moveId)
  const parts = startable ? await withClashes(ctx, found) : found
  return { apps: parts.map(present), links: await findAppLinks(ctx.db, ctx.scope, moveId) }
}

function present(part: AppPart): PlannedApp {
  const { id, chosen, plan } = part
  const { source, app, counts, problems } = plan
  return {
    _id: id,
    chosen,
    ...app,
    kind: source.kind,
    source,
    models: kindOfPart(part).models(plan),
    counts,
    problems: problems.filter(({ code }) => moveProblems[code] === 'stops'),
    warnings: new Set(problems.flatMap(({ code }) => (moveProblems[code] === 'warning' ? [code] : []))).size,
  }
}

/**
 * Adds a problem to each chosen part whose uid is already used in the space or by another chosen part. Parts that are
 * not chosen lose all problems of the level `stops`.
 */
async function withClashes(ctx: SpaceContext, parts: AppPart[]): Promise<AppPart[]> {
  const uids = parts.flatMap(({ chosen, plan }) => (chosen ? [plan.app.uid] : []))
  const looked: AppPart[] = []
  for (const part of parts) {
    const plan = part.chosen ? await withAppClash(ctx.db, ctx.scope, part.plan) : withStops(part.plan, [])
    const { uid } = plan.app
    const count = part.chosen ? uids.filter((other) => other === uid).length : 0
    const twice = count > 1 ? [{ code: 'appUidTwice' as const, path: '', count, examples: [uid] }] : []
    looked.push({ ...part, plan: withStops(plan, [...twice, ...stops(plan)]) })
  }
  return looked
}

const stops = ({ problems }: AnyMovePlan) => problems.filter(({ code }) => moveProblems[code] === 'stops')

const withStops = (plan: AnyMovePlan, found: AnyMovePlan['problems']): AnyMovePlan => ({
  ...plan,
  problems: [...found, ...plan.problems.filter(({ code }) => moveProblems[code] !== 'stops')],
})

/** Stores which apps are imported and under which names. Throws 400 with every invalid choice. */
export async function chooseApps(ctx: SpaceContext, moveId: string, choices: AppChoices): Promise<void> {
  const left = new Map((await listAppParts(ctx.db, ctx.scope, moveId)).map((part) => [part.id, part]))
  const issues: Issue[] = []
  for (const [index, { _id, chosen, ...app }] of choices.entries()) {
    const part = left.get(_id)
    left.delete(_id)
    if (!part) issues.push({ path: `data.${index}._id`, code: 'InvalidValue' })
    else await updateMove(ctx.db, ctx.scope, _id, { chosen, plan: { ...part.plan, app } })
  }
  if (left.size > 0) issues.push({ path: 'data', code: 'TooFewItems' })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
}

/** Calls `work`. If it throws issues, prefixes their paths with the uid of the app. */
async function withAppInPaths<T>({ plan }: AppPart, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    const issues = error.issues.map((issue) => ({ ...issue, path: `apps.${plan.app.uid}.${issue.path}` }))
    throw new AppError(error.code, { issues })
  }
}
