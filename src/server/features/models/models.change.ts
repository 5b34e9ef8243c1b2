import { isDeepStrictEqual } from 'node:util'
import { accountOf } from '#server/access/actor.ts'
import { leaveNoAudit } from '#server/access/audit.ts'
import type { AppContext, OwnTransactions } from '#server/access/context.ts'
import type { Db } from '#server/db/scope.ts'
import { enqueue } from '#server/jobs/enqueue.ts'
import { documentsSince, newestEvent } from '#server/jobs/events.ts'
import { AppError } from '#shared/errors.ts'
import { fieldChanges, type ModelConversion, type RepeatedValue } from '#shared/fields/convert.ts'
import type { Field } from '#shared/fields/index.ts'
import { type SiteChange, siteChanges } from '#shared/fields/site-changes.ts'
import { type ByCustomType, findKept, insertChange } from './kept.repository.ts'
import { type Blocked, BlockedCount } from './models.blocked.ts'
import { convertDocuments } from './models.conversion.ts'
import { convertModelJob } from './models.jobs.ts'
import { type Loss, LossCount, removedTargets } from './models.losses.ts'
import type { ModelRecord } from './models.repository.ts'
import * as models from './models.repository.ts'
import { UniqueCheck, uniqueChange } from './models.unique.ts'
import { countStored } from './progress.repository.ts'
import { type DocumentValues, isLastPage, readPage, readReferred, readValues } from './values.repository.ts'

/*
 * Changes the fields of one model, or of all models that use a custom type. Losses are counted and reported first. Then
 * the change takes effect. Documents are converted in the same transaction or by a job (docs/decisions/0026).
 */

/** The resolved fields of a model before and after a change. */
export interface FieldsChange {
  from: Field[]
  to: Field[]
}

/** A model and a change of its fields. Its documents are converted if the change requires it. */
export interface Affected {
  model: ModelRecord
  change: FieldsChange
  /** The earlier change that this one undoes. */
  takesBack?: ModelConversion['takesBack']
}

/** A change planned in a transaction that has locked everything that the change affects. */
export interface ChangePlan<Result> {
  affected: Affected[]
  /** The model's uid after the change. undefined: the change affects no uid. */
  newUid?: string
  /** Returns the result without applying the change. */
  current(): Promise<Result>
  /** Applies the change in the same transaction. */
  apply(): Promise<Result>
  /** Returns the path of the field with this `_id` in the request body, for the error if the field cannot be unique. */
  pathOf(fieldId: string): string
  /** Returns the error details for losses and the affected models. */
  tell(losses: ModelLoss[], models: Touched[]): Record<string, unknown>
}

export interface ChangeOptions {
  acceptLoss?: boolean
  /** Reports losses and consequences without changing anything. */
  dryRun?: boolean
}

/** A loss, with the uid of the model whose documents lose values. */
export type ModelLoss = Loss & { model: string }

/** A model affected by a change, with the number of its documents outside the trash. */
export interface Touched {
  uid: string
  documents: number
}

/** Other effects reported before a change. Only computed for a `dryRun`. */
export interface Consequences {
  /** Changes in the responses that sites receive, for models with published documents. */
  site: (SiteChange & { model: string })[]
  /** Rules that documents break after the change, but not now. The documents could not be published then. */
  blocked: (Blocked & { model: string })[]
}

export interface Changed<Result> extends Consequences {
  result: Result
  losses: ModelLoss[]
  models: Touched[]
}

/** Maximum attempts when concurrent changes interfere with examining the documents. */
const maximumAttempts = 5

/**
 * Changes fields. Documents are examined in the transaction of the change, unless a large model must be examined. In
 * that case all documents are examined beforehand without locks. Small models are converted in the transaction, large
 * models by jobs. `dryRun` changes nothing.
 *
 * Throws `ValidationFailed` with `losses` if values would be lost without `acceptLoss`. Throws `ValidationFailed` with
 * `repeated` if published documents have the same value in a field that is unique after the change. Throws
 * `VersionConflict` if the models change during each of {@link maximumAttempts} attempts.
 */
export async function changeFields<Result>(
  { inSpace }: Pick<OwnTransactions<AppContext>, 'inSpace'>,
  makePlan: (ctx: AppContext) => Promise<ChangePlan<Result>>,
  options: ChangeOptions,
): Promise<Changed<Result>> {
  for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
    const begun = await inSpace(async (ctx) => {
      const plan = await makePlan(ctx)
      const looks = plan.affected.map((affected) => lookAt(affected, options.dryRun === true))
      const counts = await countsOf(ctx, plan.affected)
      const models = touchedModels(plan.affected, counts)
      const published = publishedOf(plan.affected, counts)
      if (await isAnyLarge(ctx, looks))
        return { looks, models, published, event: await newestEvent(ctx.db, ctx.scope) }
      for (const look of looks) await look.throughAll((work) => work(ctx.db))
      const losses = lossesOf(looks)
      if (options.dryRun) leaveNoAudit(ctx)
      if (options.dryRun)
        return {
          done: { result: await plan.current(), losses, models, ...consequencesOf(plan, looks, published) },
        }
      requireGood(plan, looks, losses, models, options)
      return { done: { result: await plan.apply(), losses, models, ...none } }
    })
    if ('done' in begun) return begun.done
    const { looks, models, published, event } = begun
    for (const look of looks) await look.throughAll((work) => inSpace((ctx) => work(ctx.db)))
    const losses = lossesOf(looks)
    const made = await inSpace(async (ctx) => {
      const plan = await makePlan(ctx)
      if (options.dryRun) leaveNoAudit(ctx)
      if (options.dryRun)
        return { result: await plan.current(), losses, models, ...consequencesOf(plan, looks, published) }
      if (!isDeepStrictEqual(plan.affected.map(identify), looks.map(identify))) return undefined
      requireGood(plan, looks, losses, models, options)
      const more: ModelLoss[] = []
      for (const look of looks) more.push(...(await look.lossesSince(ctx.db, event)))
      requireGood(plan, [], more, models, options)
      return { result: await plan.apply(), losses: [...losses, ...more], models, ...none }
    })
    if (made) return made
  }
  throw new AppError('VersionConflict')
}

const none: Consequences = { site: [], blocked: [] }

function consequencesOf<Result>(
  { newUid }: ChangePlan<Result>,
  looks: Look[],
  published: ReadonlySet<string>,
): Consequences {
  const site = looks.flatMap(({ model: { uid }, change: { from, to } }) => {
    if (!published.has(uid)) return []
    const renamed: SiteChange[] =
      newUid === undefined || newUid === uid
        ? []
        : [{ kind: 'modelUid', field: null, before: uid, after: newUid }]
    return [...renamed, ...siteChanges(from, to)].map((one) => ({ ...one, model: uid }))
  })
  const blocked = looks.flatMap(({ model: { uid }, blocked }) =>
    blocked.blocked().map((one) => ({ ...one, model: uid })),
  )
  return { site, blocked }
}

const identify = ({ model, change }: Affected) => ({ uid: model.uid, version: model.version, change })

/** Returns the conversion that documents of the model need. undefined: none. */
function conversionOf({
  change: { from, to },
  takesBack,
}: Affected): Omit<ModelConversion, 'version'> | undefined {
  const changes = fieldChanges(from, to)
  const unique = uniqueChange(from, to, changes)
  if (changes.length === 0 && !unique && !takesBack) return undefined
  return { changes, ...(unique ? { unique } : {}), ...(takesBack ? { takesBack } : {}) }
}

async function countsOf(ctx: AppContext, affected: Affected[]): Promise<Map<number, models.ModelCounts>> {
  if (affected.length === 0) return new Map()
  return models.listCounts(
    ctx.db,
    ctx.scope,
    affected.map(({ model }) => model.scope.modelId),
  )
}

const touchedModels = (affected: Affected[], counts: Map<number, models.ModelCounts>): Touched[] =>
  affected.map(({ model: { uid, scope } }) => ({
    uid,
    documents: counts.get(scope.modelId)?.documentCount ?? 0,
  }))

const publishedOf = (affected: Affected[], counts: Map<number, models.ModelCounts>) =>
  new Set(
    affected.flatMap(({ model: { uid, scope } }) =>
      (counts.get(scope.modelId)?.publishedCount ?? 0) > 0 ? [uid] : [],
    ),
  )

/** Returns whether a large model must be examined. */
async function isAnyLarge(ctx: AppContext, looks: Look[]): Promise<boolean> {
  for (const look of looks) if (look.fieldIds.length > 0 && (await isLarge(ctx, look.model))) return true
  return false
}

/** Examines the documents of a model for losses, duplicate values and newly broken rules. */
interface Look extends Affected {
  fieldIds: string[]
  losses: LossCount
  unique: UniqueCheck
  blocked: BlockedCount
  /** Examines all documents page by page. `inTurn` provides the transaction in which a page is read. */
  throughAll(inTurn: <T>(work: (db: Db) => Promise<T>) => Promise<T>): Promise<void>
  /**
   * Returns the losses in documents written after this event, without fields whose losses have already been reported.
   */
  lossesSince(db: Db, event: number): Promise<ModelLoss[]>
}

/**
 * Returns the examination of a model. `plans`: a dry run, which also counts documents that could no longer be
 * published.
 */
function lookAt(affected: Affected, plans: boolean): Look {
  const { model, change, takesBack } = affected
  const { scope } = model
  const conversion = conversionOf(affected) ?? { changes: [] }
  const losses = new LossCount(model, conversion)
  const unique = new UniqueCheck(model, change.to, conversion)
  const blocked = new BlockedCount(model, change, conversion)
  const fieldIds = [...new Set([...losses.fieldIds, ...unique.fieldIds, ...(plans ? blocked.fieldIds : [])])]
  const removed = removedTargets(conversion.changes)
  const referredOf = (db: Db, page: DocumentValues[]) =>
    readReferred(
      db,
      scope,
      removed,
      page.map(({ id }) => id),
    )
  const keptOf = (db: Db, page: DocumentValues[]) =>
    findKept(
      db,
      scope,
      takesBack ? [takesBack.version] : [],
      page.map(({ id }) => id),
    )
  return {
    ...affected,
    fieldIds,
    losses,
    unique,
    blocked,
    async throughAll(inTurn) {
      for (let after: string | undefined = fieldIds.length > 0 ? '' : undefined; after !== undefined; ) {
        const from: string = after
        const { page, kept, referred } = await inTurn(async (db) => {
          const page = await readPage(db, scope, fieldIds, from)
          return { page, kept: await keptOf(db, page), referred: await referredOf(db, page) }
        })
        await losses.add(page, kept, referred)
        await unique.add(page, kept)
        if (plans) await blocked.add(page, kept)
        after = isLastPage(page) ? undefined : page.at(-1)?.id
      }
    },
    async lossesSince(db, event) {
      const ids = await documentsSince(db, scope, event)
      if (losses.fieldIds.length === 0 || ids.length === 0) return []
      const since = new LossCount(model, conversion)
      const written = await readValues(db, scope, losses.fieldIds, ids)
      await since.add(written, await keptOf(db, written), await referredOf(db, written))
      const told = new Set(losses.losses().map(({ field }) => field))
      return withModel(model, since.losses()).filter(({ field }) => !told.has(field))
    },
  }
}

const lossesOf = (looks: Look[]) => looks.flatMap(({ model, losses }) => withModel(model, losses.losses()))

const withModel = ({ uid }: ModelRecord, losses: Loss[]): ModelLoss[] =>
  losses.map((loss) => ({ ...loss, model: uid }))

function requireGood<Result>(
  plan: ChangePlan<Result>,
  looks: Look[],
  losses: ModelLoss[],
  touched: Touched[],
  { acceptLoss = false }: ChangeOptions,
): void {
  const repeated = looks.flatMap(({ model, unique }) =>
    unique.repeated().map((value) => ({ ...value, model: model.uid })),
  )
  if (repeated.length > 0)
    throw new AppError('ValidationFailed', {
      message: 'Documents are published with the same value in a field that is to be unique',
      issues: [...new Set(repeated.map(({ fieldId }) => plan.pathOf(fieldId)))].map((path) => ({
        path,
        code: 'DuplicatedValue',
      })),
      details: { repeated: repeated.map(({ fieldId: _, ...value }): RepeatedValue => value) },
    })
  if (losses.length > 0 && !acceptLoss)
    throw new AppError('ValidationFailed', {
      message: 'Values would be lost',
      details: plan.tell(losses, touched),
    })
}

/** Models with more documents than this are converted by a job. Tests may lower it. */
export const large = { moreThan: 2_000 }

/** Returns whether documents are converted by a job. This is always the case for a model with pending conversions. */
async function isLarge(ctx: AppContext, { scope, conversions }: ModelRecord): Promise<boolean> {
  return conversions.length > 0 || (await countStored(ctx.db, scope, large.moreThan + 1)) > large.moreThan
}

/**
 * Converts the documents of a locked model to its new fields. {@link changeFields} has examined them. Small models are
 * converted in this transaction. A large model gets a new version and is converted by a job.
 *
 * `keeps`: version under which the previous values are kept, so that the change can be undone. `by`: the change of a
 * custom type that causes this change. Both are undone together.
 */
export async function convertModel(
  ctx: AppContext,
  model: ModelRecord,
  affected: Affected,
  keeps?: number,
  by?: ByCustomType,
): Promise<ModelRecord> {
  const change = conversionOf(affected)
  if (!change) return model
  const { from, to } = affected.change
  const isKept =
    keeps !== undefined && change.changes.length > 0 && (await countStored(ctx.db, model.scope, 1)) > 0
  const conversion = { ...change, ...(isKept ? { keeps } : {}) }
  if (conversion.keeps !== undefined)
    await insertChange(ctx.db, model.scope, {
      version: conversion.keeps,
      changes: change.changes,
      positions: from.map(({ _id }) => _id),
      titleField: affected.model.titleField,
      changedBy: accountOf(ctx.actor),
      by,
    })
  if (await isLarge(ctx, model)) {
    const converting = await models.addConversion(ctx.db, model.scope, conversion)
    await askForConversion(ctx, converting)
    return converting
  }
  const all = await models.listModels(ctx.db, ctx.scope)
  const targets = new Map(all.map(({ uid, scope }) => [uid, scope.modelId]))
  await convertDocuments(ctx.db, model.scope, { fields: to, targets }, conversion)
  return model
}

/** Enqueues the conversion job. */
export async function askForConversion(ctx: AppContext, { scope }: ModelRecord): Promise<void> {
  const { appId, modelId } = scope
  const options = { scope: ctx.scope, key: `model ${modelId}`, requestedBy: accountOf(ctx.actor) }
  await enqueue(ctx.db, convertModelJob, { appId, modelId }, options)
}
