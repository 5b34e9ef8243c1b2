import type { AnyManifest } from '#archive/manifest.ts'
import { inTransaction } from '#server/db/scope.ts'
import { deleteProgress } from '#server/features/portable-apps/portable-apps.service.ts'
import { recordEvent } from '#server/jobs/events.ts'
import type { PlannedParts } from '#shared/contract/move-plans.ts'
import { AppError } from '#shared/errors.ts'
import { removeFiles, withArchive, workPath } from '../archive/archive-files.ts'
import type { MoveWork } from '../import/import-context.ts'
import { countChanges } from '../store/changed-documents.repository.ts'
import { findChanges, type MoveChanges, updateMove } from '../store/moves.repository.ts'
import { hasAdditions } from './additions.ts'
import { applyUpdate } from './apply-update.ts'
import type { Baseline } from './baseline.ts'
import type { Incoming } from './incoming-contents.ts'
import { planUpdate } from './plan-update.ts'
import type { Updating } from './update-context.ts'

/** Returns the id of the target app of an update or import. Throws `NotFound` if the move has no app. */
export function appOf({ move }: MoveWork): number {
  if (move.appId === null) throw new AppError('NotFound')
  return move.appId
}

/**
 * Returns the context of an update or import. `fileOwner`: seed of the ids that are derived for files without an `_id`,
 * so that these files are found again.
 */
export const updatingOf = (
  work: MoveWork,
  { plan, baseline, fileOwner }: { plan: PlannedParts; baseline: Baseline; fileOwner: string },
): Updating => {
  const { scope, moveId, services, move } = work
  const workFolder = workPath(services.config.dataDir, scope.spaceId, moveId)
  return { ...work, plan, baseline, fileOwner, appId: appOf(work), language: move.language, workFolder }
}

/**
 * Compares the archive with the app. Returns the changes for the row of the move. The move is finished (`accepted`) if
 * there is nothing to decide.
 */
export async function planIncoming(
  updating: Updating,
  incoming: Incoming,
  read: PlannedParts,
): Promise<MoveChanges> {
  try {
    const changes = await planUpdate(updating, incoming, read)
    const { documents, assets } = changes.counts
    const isAnyLeftOut = read.models.some(({ states = [] }) =>
      states.some(({ choice, count }) => choice === 'leaveOut' && count > 0),
    )
    if (documents > 0 || assets > 0 || hasAdditions(changes.additions) || isAnyLeftOut)
      return { state: 'planned', changes }
    const report = { documents: 0, assets: 0, problems: [] }
    return { state: 'accepted', changes, report, finishedAt: new Date() }
  } finally {
    await incoming.close()
  }
}

/** Stores the result of the comparison, and removes the files of a finished move. */
export async function finishCheck(
  { db, scope, services, moveId }: MoveWork,
  changes: MoveChanges,
): Promise<void> {
  await updateMove(db, scope, moveId, changes)
  if (changes.state === 'accepted') await removeFiles(services.config.dataDir, scope.spaceId, moveId)
}

/** Imports the chosen changes. */
export async function bringIncoming(
  updating: Updating,
  incoming: Incoming,
  onMade?: Parameters<typeof applyUpdate>[2],
): Promise<void> {
  try {
    await finish(updating, await applyUpdate(updating, incoming, onMade))
  } finally {
    await incoming.close()
  }
}

async function finish(
  updating: Updating,
  { assets, problems, models }: Awaited<ReturnType<typeof applyUpdate>>,
): Promise<void> {
  const { db, scope, moveId, services, baseline, caller, appId } = updating
  const changes = await findChanges(db, scope, moveId)
  if (!changes) return
  const left = changes.models.map((model) => ({
    ...model,
    // A user may have created the field after reading the plan.
    unknownFields: model.unknownFields.filter(
      (key) => !models.get(model.from)?.fields.some(({ from }) => from === key),
    ),
  }))
  const counted = await countChanges(db, scope, moveId)
  const documents = counted.reduce((sum, { outcome, count }) => sum + (outcome === 'taken' ? count : 0), 0)
  const report = { documents, assets, problems }
  await inTransaction(db, async (tx) => {
    const done = { state: 'accepted', report, finishedAt: new Date() } as const
    await updateMove(tx, scope, moveId, { ...done, changes: { ...changes, models: left } })
    await baseline.finish(tx)
    await deleteProgress(tx, scope, moveId)
    await recordEvent(tx, scope, 'app.imported', { documents }, { appId, actor: caller.actor })
  })
  await removeFiles(services.config.dataDir, scope.spaceId, moveId)
}

/**
 * Returns the folder of the first archive in the file for which `fits` returns true. Skips unreadable archives. null:
 * none fits.
 */
export async function findPart(
  path: string,
  parts: readonly string[],
  fits: (read: AnyManifest) => boolean,
): Promise<string | null> {
  for (const part of parts)
    if (await withArchive(path, async (_source, read) => fits(read), part).catch(() => false)) return part
  return null
}
