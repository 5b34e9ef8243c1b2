import { archivesIn } from '#archive/several.ts'
import { requireRightIn } from '#server/access/membership.ts'
import { modelsByUid } from '#server/features/models/models.service.ts'
import { appInArchive, inApp } from '#server/features/portable-apps/portable-apps.service.ts'
import { type AnyMovePlan, isCarried, type PlannedParts } from '#shared/contract/move-plans.ts'
import { AppError } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import { withArchive } from '../archive/archive-files.ts'
import { refusalOf } from '../archive/refusal.ts'
import { findRefusal, findUnverified, movePlanContext, planContents, refuse } from '../check/check-archive.ts'
import type { CheckWork, MoveWork } from '../import/import-context.ts'
import { withEarlierChoices } from '../plan/corrections.ts'
import { membersIn } from '../several/check-parts.ts'
import { findMovePlan, updateMove } from '../store/moves.repository.ts'
import { requireItsApps } from '../store/owners.ts'
import { noBaseline } from '../update/baseline.ts'
import { countedPartsOf, incomingApp, partsOf } from '../update/incoming-app.ts'
import { incomingContents } from '../update/incoming-contents.ts'
import { makeViews } from '../update/left-out.ts'
import {
  appOf,
  bringIncoming,
  findPart,
  finishCheck,
  planIncoming,
  updatingOf,
} from '../update/run-update.ts'
import { isAppThere } from '../update/updated-models.ts'
import { checkMayUpdate } from '../update/updates.service.ts'
import { contradicts } from './app-kind.ts'
import { intoApp, requireToBring } from './into-app.ts'
import type { Kind } from './move-kind.ts'
import { requireToImport } from './rights.ts'

/** Imports contents of another service, or an app of Imori, into an existing app. */
export const importIntoApp: Kind = {
  ...intoApp,
  async check(work) {
    const { db, scope, moveId, move, path } = work
    if (move.appId === null || !(await isAppThere({ ...work, appId: move.appId })))
      return refuse(work, refusalOf('appIsGone'))
    const looked = await findUnverified(
      // The apps of a space share a manifest, so they are verified together.
      async () => ({ part: await partOf(work), isOfSpace: (await membersIn(path)).length > 0 }),
      work,
    )
    if (looked.refusal) return refuse(work, looked.refusal)
    const { part, isOfSpace } = looked.found
    if (part === null) return refuse(work, refusalOf('severalApps'))
    const { refusal, signature } = await findRefusal({ path, part: isOfSpace ? undefined : part }, work)
    if (refusal) return refuse(work, refusal)
    await withArchive(
      path,
      async (source, read) => {
        if (read.of === 'space') return refuse(work, refusalOf('severalApps'))
        if (read.of === 'app') {
          const archive = { source, manifest: read.manifest }
          const parts = await countedPartsOf(archive)
          const updating = withoutBaseline(work, parts)
          await settle(work, await planIncoming(updating, await incomingApp(updating, archive), parts))
          return
        }
        const planned = await planContents({ path, part }, movePlanContext(work, signature))
        const plan = withEarlierChoices(planned, await findMovePlan(db, scope, moveId))
        await updateMove(db, scope, moveId, { plan })
        const updating = withoutBaseline(work, plan)
        const incoming = await incomingContents(updating, { source, manifest: read.manifest }, plan)
        await settle(work, await planIncoming(updating, incoming, plan))
      },
      part,
    )
  },
  async start(ctx, move) {
    await requireRightIn(ctx, move.appId ?? 0, 'app.manage')
    await requireToBring(ctx, move)
    const plan = await findMovePlan(ctx.db, ctx.scope, move.id)
    if (plan && needsConfirmation(plan))
      throw new AppError('MovePlanHasProblems', { details: { problem: 'unconfirmedSource' } })
    return {}
  },
  async run(work) {
    const { db, scope, moveId, path } = work
    await withArchive(
      path,
      async (source, read) => {
        if (read.of === 'app') {
          const portable = await appInArchive(source, read.manifest)
          const updating = withoutBaseline(work, partsOf(portable))
          const incoming = await incomingApp(updating, { source, manifest: read.manifest })
          await bringIncoming(updating, incoming, (app, { models }) => makeViews(app, portable, models))
          return
        }
        const plan = await findMovePlan(db, scope, moveId)
        if (read.of !== 'contents' || !plan || isCarried(plan)) throw contradicts()
        const updating = withoutBaseline(work, plan)
        await bringIncoming(
          updating,
          await incomingContents(updating, { source, manifest: read.manifest }, plan),
        )
      },
      (await partOf(work)) ?? undefined,
    )
  },
  async requireMayGoOn(ctx, move) {
    requireToImport(ctx, move)
    await requireRightIn(ctx, move.appId ?? 0, 'app.manage')
    if (move.state === 'importing') await requireToBring(ctx, move)
    else await checkMayUpdate(ctx, move.appId ?? 0)
  },
  async forget(ctx, move) {
    await requireItsApps(ctx, move)
    await intoApp.forget(ctx, move)
  },
}

async function settle(work: CheckWork, changes: Parameters<typeof finishCheck>[1]): Promise<void> {
  await finishCheck(work, changes)
  if (changes.state === 'planned') await fillAtOnce(work)
}

/**
 * Starts an import that was requested by URL if the app has no models, because then the user has nothing to decide.
 * Does nothing if the contents must be confirmed or the account may not create models.
 */
async function fillAtOnce(work: CheckWork): Promise<void> {
  if (work.move.importUrl === null) return
  const plan = await findMovePlan(work.db, work.scope, work.moveId)
  if (plan && needsConfirmation(plan)) return
  const place = { ...work, right: 'app.manage' as const, appId: appOf(work) }
  await inApp(place, async (app) => {
    if (can(app.grants, 'model.manage') && (await modelsByUid(app)).size === 0) await work.beginImport(app.db)
  })
}

const needsConfirmation = (plan: AnyMovePlan) => !isCarried(plan) && plan.confirmed === false

const withoutBaseline = (work: MoveWork, plan: PlannedParts) => {
  const baseline = noBaseline(work.scope, { moveId: work.moveId, plan })
  // Files without an `_id` get the same derived id in every import into this app.
  return updatingOf(work, { plan, baseline, fileOwner: `app ${appOf(work)}` })
}

/**
 * Returns the folder of the app to import. In a file with several apps, this is the app that has the uid of the target
 * app. null: no app has it. undefined: the file is one archive.
 */
async function partOf(work: MoveWork): Promise<string | undefined | null> {
  const { path } = work
  const uid = await inApp({ ...work, appId: appOf(work) }, async ({ app }) => app.uid)
  const apart = await archivesIn(path)
  const parts = apart.length > 1 ? apart : await membersIn(path)
  const [only] = parts
  if (parts.length < 2) return only === undefined || apart.length === 1 ? undefined : only
  return findPart(path, parts, ({ of, manifest }) => of !== 'space' && manifest.source.app === uid)
}
