import type { SpaceContext } from '#server/access/context.ts'
import type { ActorGrants } from '#server/access/grants.ts'
import { grantsIn, hasApp, intoApp } from '#server/access/membership.ts'
import { appScope } from '#server/db/scope.ts'
import { modelsByUid } from '#server/features/models/models.service.ts'
import { isCarried } from '#shared/contract/move-plans.ts'
import {
  type AdditionChoice,
  type AppChanges,
  type ChangedDocument,
  chosenKinds,
  type MoveChangeCount,
  type MoveChangeKind,
  type MoveFileCount,
  type MoveOutcome,
} from '#shared/contract/move-updates.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import { can, type Right } from '#shared/permissions.ts'
import { choose, countChanges, listChanges } from './moves.changes.repository.ts'
import { chooseFiles, countFileChanges } from './moves.file-changes.repository.ts'
import { isOpenTo, requireItsApps } from './moves.owners.ts'
import type { MoveRow } from './moves.repository.ts'
import * as moves from './moves.repository.ts'
import { lockOwn, requireMove } from './moves.states.ts'
import { chooseAdditions, takesAny } from './moves.update-additions.ts'

/*
 * An update: a move that brings an app that moved in up to date with where it came from. Its upload, jobs and states are those of
 * every move.
 */

/** What it takes in the app: documents of everybody are read, written and published. */
const needed: readonly Right[] = ['document.read', 'document.write.any']

/** Throws 403 for whoever may not do to documents of the app what an update does. */
export async function checkMayUpdate(ctx: SpaceContext, appId: number): Promise<void> {
  const grants = await grantsIn(ctx, appId)
  if (!grants || !mayWriteAll(grants)) throw new AppError('Forbidden')
}

const mayWriteAll = ({ elsewhere, models }: ActorGrants) =>
  [{ rights: elsewhere, readOnly: new Set() }, ...models.values()].every(
    ({ rights, readOnly }) => needed.every((right) => rights.has(right)) && readOnly.size === 0,
  )

/** Throws 403 for who may not manage the app. */
async function checkMayImport(ctx: SpaceContext, appId: number): Promise<void> {
  const grants = await grantsIn(ctx, appId)
  if (!grants || !can(grants, 'app.manage')) throw new AppError('Forbidden')
}

/** Throws 403 for whoever may not do what this update does, which is more where it makes models or fields, or replaces files. */
export async function checkMayStart(
  ctx: SpaceContext,
  { id, appId, updates }: { id: string; appId: number; updates: string },
): Promise<void> {
  const isImport = updates === id
  // Whoever may manage an app may have everything of it replaced by an import.
  if (isImport) await checkMayImport(ctx, appId)
  else await checkMayUpdate(ctx, appId)
  const files = await countFileChanges(ctx.db, ctx.scope, id)
  if (files.some(({ takes }) => takes) && !can(ctx.grants, 'asset.write.any')) throw new AppError('Forbidden')
  if (isImport) return
  const changes = await moves.findChanges(ctx.db, ctx.scope, id)
  if (!changes || !takesAny(changes.additions)) return
  const grants = await grantsIn(ctx, appId)
  if (!grants || !can(grants, 'model.manage')) throw new AppError('Forbidden')
}

/** Throws 403 for who may not (any more) do what the move does in its present state, even if they began it. */
export async function requireMayGoOn(ctx: SpaceContext, move: MoveRow): Promise<void> {
  const { id, state, updates, appId } = move
  const isImport = updates === id
  const needs: Right[] = [
    ...(isImport ? [] : (['app.create'] as const)),
    ...(state === 'importing' ? (['asset.write.own'] as const) : []),
  ]
  if (!needs.every((right) => can(ctx.grants, right))) throw new AppError('Forbidden')
  if (isImport) await checkMayImport(ctx, appId ?? 0)
  else if (!(await isOpenTo(ctx, move))) throw new AppError('Forbidden')
  if (state === 'importing' && updates !== null) await checkMayStart(ctx, { id, appId: appId ?? 0, updates })
  else await requireItsApps(ctx, move)
}

/** The same for a job of a move; one whose move is gone does nothing. */
export async function requireMayGoOnWith(ctx: SpaceContext, { moveId }: { moveId: string }): Promise<void> {
  const move = await moves.findMove(ctx.db, ctx.scope, moveId)
  if (move) await requireMayGoOn(ctx, move)
}

/**
 * The app that an update of this move goes into. Throws 403, 404, 409 `MoveIsNotReady` for a move that has none, is not from Newt, or
 * is being updated already.
 */
export async function appToUpdate(ctx: SpaceContext, id: string): Promise<{ id: string; appId: number }> {
  const { state, appId, updates } = await lockOwn(ctx, id)
  const notReady = (details: Record<string, unknown>) => new AppError('MoveIsNotReady', { details })
  if (updates !== null || appId === null || (state !== 'imported' && state !== 'accepted'))
    throw notReady({ state })
  const plan = await moves.findPlan(ctx.db, ctx.scope, id)
  if (!plan || isCarried(plan) || plan.source.kind !== 'newt') throw notReady({ state })
  await checkMayUpdate(ctx, appId)
  if (!(await hasApp(ctx.db, appScope(ctx.scope, appId)))) throw new AppError('NotFound')
  const open = await moves.findOpenUpdate(ctx.db, ctx.scope, id)
  if (open) throw notReady({ state: open.state, update: open.id })
  return { id, appId }
}

/** Throws 409 while an update of the move is looked at or at work. */
export async function refuseWhileUpdated(ctx: SpaceContext, id: string): Promise<void> {
  const update = await moves.findOpenUpdate(ctx.db, ctx.scope, id)
  if (update) throw new AppError('MoveIsNotReady', { details: { state: update.state, update: update.id } })
}

/** Throws 404 for a move that is no update, or was not looked at; 403. */
async function requireUpdate(ctx: SpaceContext, id: string): Promise<MoveRow & { appId: number }> {
  const move = await requireMove(ctx, id)
  if (move.updates === null || move.appId === null) throw new AppError('NotFound')
  if (!('app' in ctx)) await checkMayUpdate(ctx, move.appId)
  return { ...move, appId: move.appId }
}

/** What an update brings or has brought. Throws 403, 404. */
export async function getChanges(
  ctx: SpaceContext,
  id: string,
): Promise<{ changes: AppChanges; counts: MoveChangeCount[]; files: MoveFileCount[] }> {
  const { appId } = await requireUpdate(ctx, id)
  const changes = await moves.findChanges(ctx.db, ctx.scope, id)
  if (!changes) throw new AppError('NotFound')
  const uids = await modelUids(ctx, appId)
  const known = [...changes.models, ...changes.additions.models]
  const froms = new Map(known.flatMap(({ uid, from }) => (uid === null ? [] : [[uid, from]])))
  const counted = await countChanges(ctx.db, ctx.scope, id)
  return {
    changes,
    counts: counted.map(({ modelId, ...count }) => {
      const uid = uids.get(modelId) ?? ''
      return { from: froms.get(uid) ?? uid, ...count }
    }),
    files: await countFileChanges(ctx.db, ctx.scope, id),
  }
}

async function modelUids(ctx: SpaceContext, appId: number): Promise<Map<number, string>> {
  const app = await intoApp(ctx, appId, 'app' in ctx ? 'app.manage' : 'document.write.any')
  const models = app ? [...(await modelsByUid(app)).values()] : []
  return new Map(models.map(({ uid, scope: { modelId } }) => [modelId, uid]))
}

interface Page {
  kind?: MoveChangeKind
  outcome?: MoveOutcome
  limit: number
  skip: number
}

/** A page of the documents that are not as they were. Throws 403, 404. */
export async function listChangedDocuments(
  ctx: SpaceContext,
  id: string,
  page: Page,
): Promise<{ documents: ChangedDocument[]; total: number }> {
  await requireUpdate(ctx, id)
  const { rows, total } = await listChanges(ctx.db, ctx.scope, id, page)
  return { documents: rows.map(({ id: _id, ...row }) => ({ _id, ...row })), total }
}

interface Choices extends AdditionChoice {
  kinds: { kind: (typeof chosenKinds)[number]; takes: boolean }[]
  documents: { model: string; _id: string; takes: boolean }[]
  files?: { takes: boolean }
}

/** Takes choices down. Throws 400 naming documents, models and fields of which nothing can be chosen, 403, 404, 409 once it has begun. */
export async function chooseChanges(
  ctx: SpaceContext,
  id: string,
  { kinds, documents, files, ...news }: Choices,
): Promise<void> {
  const { appId } = await requireUpdate(ctx, id)
  const locked = await moves.lockMove(ctx.db, ctx.scope, id)
  if (locked?.state !== 'planned')
    throw new AppError('MoveIsNotReady', { details: { state: locked?.state ?? 'undone' } })
  for (const { kind, takes } of kinds) await choose(ctx.db, ctx.scope, id, { kind }, takes)
  if (files) await chooseFiles(ctx.db, ctx.scope, id, files.takes)
  const ids = new Map([...(await modelUids(ctx, appId))].map(([modelId, uid]) => [uid, modelId]))
  const issues: Issue[] = []
  const changes = await moves.findChanges(ctx.db, ctx.scope, id)
  if (changes && news.models.length + news.fields.length > 0) {
    const { additions, unknown } = chooseAdditions(changes.additions, news)
    for (const path of unknown) issues.push({ path, code: 'InvalidValue' })
    await moves.updateMove(ctx.db, ctx.scope, id, { changes: { ...changes, additions } })
  }
  for (const [index, { model, _id, takes }] of documents.entries()) {
    const modelId = ids.get(model)
    const which = modelId === undefined ? null : { modelId, ids: [_id], kinds: [...chosenKinds] }
    const chosen = which ? await choose(ctx.db, ctx.scope, id, which, takes) : 0
    if (chosen === 0) issues.push({ path: `data.documents.${index}`, code: 'InvalidValue' })
  }
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
}
