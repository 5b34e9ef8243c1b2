import type { SpaceContext } from '#server/access/context.ts'
import { deleteProgress, insertCarryModels } from '#server/features/portable-apps/portable-apps.service.ts'
import { type AnyMovePlan, type CarriedPlan, isCarried, moveProblems } from '#shared/contract/move-plans.ts'
import type { AppChoices, AppLink, PlannedApp } from '#shared/contract/moves.ts'
import { AppError, type Issue, invalid } from '#shared/errors.ts'
import { uidProblem } from '#shared/identifiers.ts'
import { type AppPart, findAppLinks, listAppParts, updateAppPart } from './moves.apps.repository.ts'
import { makeCarriedApp } from './moves.carried.ts'
import { withAppClash } from './moves.clashes.ts'
import { withArchive } from './moves.files.ts'
import { makePlannedApp } from './moves.make.ts'
import { type MoveChanges, updateMove } from './moves.repository.ts'
import { removeApp } from './moves.undo.ts'

/** The apps of a move of several. */
export interface MoveApps {
  apps: PlannedApp[]
  links: AppLink[]
}

/** The apps of a move as they are planned; `startable`: with what is in their way now. */
export async function listApps(ctx: SpaceContext, moveId: string, startable: boolean): Promise<MoveApps> {
  const found = await listAppParts(ctx.db, ctx.scope, moveId)
  const parts = startable ? await withClashes(ctx, found) : found
  return { apps: parts.map(present), links: await findAppLinks(ctx.db, ctx.scope, moveId) }
}

function present({ id, chosen, plan }: AppPart): PlannedApp {
  const { source, app, counts, problems } = plan
  const models = isCarried(plan)
    ? plan.models
    : plan.models.map(({ documents, ...model }) => ({
        ...model,
        documents: Object.values(documents).reduce((sum, count) => sum + count, 0),
      }))
  return {
    _id: id,
    chosen,
    ...app,
    kind: source.kind,
    source,
    models: models.map(({ uid, name, documents }) => ({ uid, name, documents })),
    counts,
    problems: problems.filter(({ code }) => moveProblems[code] === 'stops'),
    warnings: new Set(problems.flatMap(({ code }) => (moveProblems[code] === 'warning' ? [code] : []))).size,
  }
}

/** The parts with whether the uids of those that come along are taken by now, also by each other. */
async function withClashes(ctx: SpaceContext, parts: AppPart[]): Promise<AppPart[]> {
  const uids = parts.flatMap(({ chosen, plan }) => (chosen ? [plan.app.uid] : []))
  const looked: AppPart[] = []
  for (const part of parts) {
    const plan = part.chosen ? await withAppClash(ctx.db, ctx.scope, part.plan) : withProblems(part.plan, [])
    const { uid } = plan.app
    const count = part.chosen ? uids.filter((other) => other === uid).length : 0
    const twice = count > 1 ? [{ code: 'appUidTwice' as const, path: '', count, examples: [uid] }] : []
    looked.push({ ...part, plan: withProblems(plan, [...twice, ...stops(plan)]) })
  }
  return looked
}

const stops = ({ problems }: AnyMovePlan) => problems.filter(({ code }) => moveProblems[code] === 'stops')

const withProblems = (plan: AnyMovePlan, problems: AnyMovePlan['problems']): AnyMovePlan => ({
  ...plan,
  problems: [...problems, ...plan.problems.filter(({ code }) => moveProblems[code] !== 'stops')],
})

/** Says which apps come along and what they are called. Throws 400 naming every culprit. */
export async function chooseApps(ctx: SpaceContext, moveId: string, choices: AppChoices): Promise<void> {
  const left = new Map((await listAppParts(ctx.db, ctx.scope, moveId)).map((part) => [part.id, part]))
  const issues: Issue[] = []
  for (const [index, { _id, chosen, ...app }] of choices.entries()) {
    const part = left.get(_id)
    left.delete(_id)
    const problem = uidProblem('app', app.uid)
    if (!part) issues.push({ path: `data.${index}._id`, code: 'InvalidValue' })
    else if (problem) issues.push({ path: `data.${index}.uid`, code: problem })
    else if (app.name.trim() === '') issues.push({ path: `data.${index}.name`, code: 'Required' })
    else await updateAppPart(ctx.db, ctx.scope, _id, { chosen, plan: { ...part.plan, app } })
  }
  if (left.size > 0) issues.push({ path: 'data', code: 'TooFewItems' })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
}

/** Makes every chosen app of an archive. Throws 400 when there is none, 409 naming the app in whose way something is. */
export async function startParts(
  ctx: SpaceContext,
  path: string,
  moveId: string,
  begun: MoveChanges,
): Promise<void> {
  const parts = await withClashes(ctx, await listAppParts(ctx.db, ctx.scope, moveId))
  const chosen = parts.filter((part) => part.chosen)
  if (chosen.length === 0) throw invalid('apps', 'Required')
  for (const { plan } of chosen)
    for (const { code } of stops(plan))
      throw new AppError('MovePlanHasProblems', { details: { problem: code, app: plan.app.uid } })
  for (const part of chosen) {
    const appId = await inApp(part, () => openApp(ctx, path, part))
    await updateMove(ctx.db, ctx.scope, part.id, { state: 'importing', appId, ...begun })
  }
}

/** What `work` throws, with paths that begin with the app. */
async function inApp<T>({ plan }: AppPart, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    const issues = error.issues.map((issue) => ({ ...issue, path: `apps.${plan.app.uid}.${issue.path}` }))
    throw new AppError(error.code, { issues })
  }
}

/** Makes the app of a plan with its models, empty; answers its id. Throws 400, 409 `MoveFileIsGone`, `AppUidIsAlreadyInUse`. */
export async function openApp(
  ctx: SpaceContext,
  path: string,
  { id, plan, part }: Pick<AppPart, 'id' | 'plan'> & { part?: string },
): Promise<number> {
  if (plan.models.length === 0) throw invalid('models', 'Required')
  const { appId, models } = isCarried(plan)
    ? await openCarried(ctx, path, { moveId: id, plan, part })
    : await makePlannedApp(ctx, plan)
  await deleteProgress(ctx.db, ctx.scope, id)
  await insertCarryModels(ctx.db, ctx.scope, id, models)
  return appId
}

/** Makes the app of an archive of ours. */
function openCarried(
  ctx: SpaceContext,
  path: string,
  { moveId, plan, part }: { moveId: string; plan: CarriedPlan; part: string | undefined },
) {
  return withArchive(
    path,
    async (source, read) => {
      if (read.of !== 'app') throw new AppError('MoveFileIsGone')
      return makeCarriedApp(ctx, { source, manifest: read.manifest }, { moveId, plan })
    },
    part,
  ).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new AppError('MoveFileIsGone', { cause: error }) : error
  })
}

/** The apps that a move of several has made are gone; the rest follows. */
export async function removeParts(ctx: SpaceContext, moveId: string): Promise<void> {
  for (const { id, appId } of await listAppParts(ctx.db, ctx.scope, moveId)) {
    if (appId === null) continue
    await removeApp(ctx, appId)
    await updateMove(ctx.db, ctx.scope, id, { state: 'undoing' })
  }
}

/** What was imported of a move of several stays for good. */
export async function acceptParts(ctx: SpaceContext, moveId: string): Promise<void> {
  for (const { id, state } of await listAppParts(ctx.db, ctx.scope, moveId)) {
    if (state !== 'imported') continue
    await updateMove(ctx.db, ctx.scope, id, { state: 'accepted' })
    await deleteProgress(ctx.db, ctx.scope, id)
  }
}
