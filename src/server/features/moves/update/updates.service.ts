import type { SpaceContext } from '#server/access/context.ts'
import type { ActorGrants } from '#server/access/grants.ts'
import { grantsIn, hasApp, intoApp } from '#server/access/membership.ts'
import { appScope } from '#server/db/scope.ts'
import { modelsByUid } from '#server/features/models/models.service.ts'
import {
  contentProblems,
  isCarried,
  type MovePlan,
  type MoveProblem,
  type PlannedState,
} from '#shared/contract/move-plans.ts'
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
import type { Right } from '#shared/permissions.ts'
import { choose, countChanges, listChanges } from '../store/changed-documents.repository.ts'
import { chooseFiles, countFileChanges } from '../store/changed-files.repository.ts'
import type { MoveRow } from '../store/moves.repository.ts'
import * as moves from '../store/moves.repository.ts'
import { lockOwn, notReady, requireMove } from '../store/open-move.ts'
import { chooseAdditions } from './additions.ts'
import { withLackingRights } from './left-out.ts'

/** An update reads, writes and publishes documents of all authors. */
const needed: readonly Right[] = ['document.read', 'document.write.any']

/** Throws 403 if the caller may not read and write every document and field of the app. */
export async function checkMayUpdate(ctx: SpaceContext, appId: number): Promise<void> {
  const grants = await grantsIn(ctx, appId)
  if (!grants || !mayWriteAll(grants)) throw new AppError('Forbidden')
}

const mayWriteAll = ({ elsewhere, models }: ActorGrants) =>
  [{ rights: elsewhere, readOnly: new Set() }, ...models.values()].every(
    ({ rights, readOnly }) => needed.every((right) => rights.has(right)) && readOnly.size === 0,
  )

/**
 * Returns the move that a new update belongs to, and its app. Throws 403, 404. Throws 409 `MoveIsNotReady` for a move
 * that has no app, is not from Newt, is not completely imported, or is already being updated.
 */
export async function appToUpdate(
  ctx: SpaceContext,
  id: string,
): Promise<{ updates: string; appId: number }> {
  const { kind, state, appId, source } = await lockOwn(ctx, id)
  if (kind !== 'contents' || source?.kind !== 'newt' || appId === null) throw notReady(state)
  if (state !== 'imported' && state !== 'accepted') throw notReady(state)
  await checkMayUpdate(ctx, appId)
  if (!(await hasApp(ctx.db, appScope(ctx.scope, appId)))) throw new AppError('NotFound')
  await refuseWhileUpdated(ctx, id)
  return { updates: id, appId }
}

/** Throws 409 while an update of the move is unfinished. */
export async function refuseWhileUpdated(ctx: SpaceContext, id: string): Promise<void> {
  const update = await moves.findOpenUpdate(ctx.db, ctx.scope, id)
  if (update) throw notReady(update.state, update.id)
}

/** Returns an update or import. Throws 403, and 404 for other moves. */
async function requireUpdate(ctx: SpaceContext, id: string): Promise<MoveRow & { appId: number }> {
  const move = await requireMove(ctx, id)
  if (move.updates === null || move.appId === null) throw new AppError('NotFound')
  if (!('app' in ctx)) await checkMayUpdate(ctx, move.appId)
  return { ...move, appId: move.appId }
}

interface SourceFacts extends Pick<MovePlan, 'leftOut' | 'confirmed'> {
  problems: MoveProblem[]
  states: { from: string; name: string; states: PlannedState[] }[]
}

/** Returns the changes that an update or import will make or has made. Throws 403, 404. */
export async function getChanges(
  ctx: SpaceContext,
  id: string,
): Promise<SourceFacts & { changes: AppChanges; counts: MoveChangeCount[]; files: MoveFileCount[] }> {
  const { appId, state } = await requireUpdate(ctx, id)
  const found = await moves.findChanges(ctx.db, ctx.scope, id)
  if (!found) throw new AppError('NotFound')
  const changes = state === 'planned' && 'app' in ctx ? withLackingRights(ctx, found) : found
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
    ...('app' in ctx ? await sourceOf(ctx, id) : { problems: [], states: [] }),
  }
}

/**
 * Returns the information of an import's plan about its source: problems and states of the contents, and data that is
 * left out.
 */
async function sourceOf(ctx: SpaceContext, id: string): Promise<SourceFacts> {
  const plan = await moves.findMovePlan(ctx.db, ctx.scope, id)
  const problems = plan?.problems.filter(({ code }) => contentProblems.has(code)) ?? []
  if (!plan || isCarried(plan)) return { problems, states: [] }
  const { models, leftOut, confirmed } = plan
  return {
    problems,
    states: models.flatMap(({ from, name, states }) => (states ? [{ from, name, states }] : [])),
    ...(leftOut ? { leftOut } : {}),
    ...(confirmed === undefined ? {} : { confirmed }),
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

/** Returns a page of the documents that differ. Throws 403, 404. */
export async function listChangedDocuments(
  ctx: SpaceContext,
  id: string,
  page: Page,
): Promise<{ documents: ChangedDocument[]; total: number }> {
  await requireUpdate(ctx, id)
  const { rows, total } = await listChanges(ctx.db, ctx.scope, id, page)
  return { documents: rows.map(({ id: _id, ...row }) => ({ _id, ...row })), total }
}

export interface ChangeChoices extends AdditionChoice {
  kinds: { kind: (typeof chosenKinds)[number]; takes: boolean }[]
  documents: { model: string; _id: string; takes: boolean }[]
  files?: { takes: boolean }
}

/**
 * Stores choices. Throws 400 with the documents, models and fields that cannot be chosen. Throws 403, 404, and 409
 * unless the move is `planned`.
 */
export async function chooseChanges(
  ctx: SpaceContext,
  id: string,
  { kinds, documents, files, ...news }: ChangeChoices,
): Promise<void> {
  const { appId } = await requireUpdate(ctx, id)
  const locked = await moves.lockMove(ctx.db, ctx.scope, id)
  if (locked?.state !== 'planned') throw notReady(locked?.state ?? 'undone')
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
