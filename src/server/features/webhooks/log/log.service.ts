import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { newId } from '#server/lib/ids.ts'
import type { WebhookInput } from '#shared/contract/webhooks.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { titleOf } from '#shared/fields/document.ts'
import { idPattern } from '#shared/identifiers.ts'
import { createBodyWriter } from '../body/bodies.ts'
import { BodyTooLarge } from '../body/body-template.ts'
import { keepBodies, openBody } from '../delivery/bodies.repository.ts'
import {
  type EventReference,
  insertMessages,
  retryNow,
  writeAttempts,
} from '../delivery/messages.repository.ts'
import { recordSuccess } from '../delivery/receivers.repository.ts'
import { sendRequest } from '../delivery/send-request.ts'
import {
  type Names,
  namesFor,
  readableBy,
  requireReadable,
  requireTemplate,
  targetsOf,
} from '../webhook-values.ts'
import { enqueueWebhookDelivery } from '../webhooks.jobs.ts'
import { findWebhook, resumeWebhook, type WebhookRow } from '../webhooks.repository.ts'
import { getWebhook, lockWebhook, requireWebhook } from '../webhooks.service.ts'
import * as log from './log.repository.ts'

/** Minimum interval in seconds between two tests of one webhook. */
const testPause = 2

/**
 * Sends one test event and returns the result. Does not hold a database connection during the request. Throws 404, and
 * 429 if the previous test was less than two seconds ago.
 */
export async function sendTest(ctx: OwnTransactions<SpaceContext>, id: string) {
  const { services } = ctx
  const messageId = newId()
  const { webhook, body } = await ctx.inSpace(async (inside) => {
    const webhook = await lockWebhook(inside, id)
    if (await log.hasRecentTest(inside.db, inside.scope, id, testPause))
      throw new AppError('TooManyRequests', { headers: { 'retry-after': String(testPause) } })
    noteAudit(inside, { objectId: id, objectName: webhook.name })
    const message = {
      ...{ id: messageId, webhookId: id, event: 'test', isBatch: false, nextAt: null },
      events: [{ ...exampleOf('test'), actorKind: inside.actor.kind, actorId: accountOf(inside.actor) }],
    }
    await insertMessages(inside.db, inside.scope, [message])
    const body = await createBodyWriter(inside).bodyOf(webhook, message)
    await keepBodies(inside.db, inside.scope, [{ id: messageId, body, events: 1 }])
    return { webhook, body }
  })
  const message = { id: messageId, event: 'test', body, signal: ctx.signal }
  const result = await sendRequest(services, webhook, message)
  return ctx.inSpace(async (inside) => {
    await writeAttempts(inside.db, inside.scope, [{ ...result, messageId, isProbe: false, nextAt: null }])
    if (result.reason === null) await resumeWorking(inside, webhook)
    return {
      webhook: await getWebhook(inside, id),
      delivery: await getWebhookDelivery(inside, id, messageId),
    }
  })
}

/**
 * Returns the body for the most recently changed document or the newest asset that the webhook reports. If there is no
 * such content, returns the body for an example event, and `isReal` is false. Throws 400 if the template is invalid, a
 * target is unknown or the body is too large, and 403 like {@link requireReadable}.
 */
export async function preview(
  ctx: SpaceContext,
  {
    headers,
    ...input
  }: Pick<
    WebhookInput,
    'body' | 'targets' | 'includesBefore' | 'includesAfter' | 'batchSeconds' | 'headers'
  > & {
    event: WebhookInput['events'][number]
  },
): Promise<{ body: string; isReal: boolean }> {
  requireTemplate(input.body, headers)
  const targets = targetsOf(input.targets, await namesFor(ctx))
  await requireReadable(ctx, targets, [input.event])
  const actor = { actorKind: ctx.actor.kind, actorId: accountOf(ctx.actor) }
  const event = await log.findExample(ctx.db, ctx.scope, input.event, targets, actor)
  const events = [event ?? { ...exampleOf(input.event), ...actor }]
  try {
    const body = await createBodyWriter(ctx).bodyOf(
      { ...input, headers: headers.map(({ name, value = null }) => ({ name, value })) },
      { event: input.event, events, isBatch: input.batchSeconds > 0 },
    )
    return { body, isReal: event !== undefined }
  } catch (error) {
    if (error instanceof BodyTooLarge) throw invalid('data.body', 'TooManyCharacters')
    throw error
  }
}

const exampleOf = (event: string): EventReference => ({
  position: null,
  event,
  appId: null,
  modelId: null,
  documentId: null,
  version: null,
  assetId: null,
  actorId: null,
  at: new Date().toISOString(),
})

/** Returns the log of a webhook, newest requests first. Throws 404. */
export async function listWebhookDeliveries(ctx: SpaceContext, id: string, query: log.LogQuery) {
  await requireWebhook(ctx, id)
  const rows = await log.listMessages(
    ctx.db,
    ctx.scope,
    id,
    { ...query, limit: query.limit + 1 },
    await readableBy(ctx),
  )
  const names = await namesFor(ctx)
  return {
    deliveries: rows.slice(0, query.limit).map((row) => deliveryView(row, names)),
    isMore: rows.length > query.limit,
  }
}

/**
 * Returns one request of the log. Its body and the responses are null unless the caller may read all of its events.
 * Throws 404.
 */
export async function getWebhookDelivery(ctx: SpaceContext, id: string, deliveryId: string) {
  const row = idPattern.test(deliveryId)
    ? await log.findMessage(ctx.db, ctx.scope, id, deliveryId, await readableBy(ctx))
    : undefined
  if (!row) throw new AppError('NotFound')
  const { isReadable, body, packed, ...shown } = row
  const attempts = await log.listAttempts(ctx.db, ctx.scope, deliveryId)
  return {
    ...deliveryView(shown, await namesFor(ctx)),
    body: isReadable ? await openBody({ body, packed }) : null,
    isReadable,
    log: attempts.map((attempt) => ({ ...attempt, answer: isReadable ? attempt.answer : null })),
  }
}

/**
 * Sends requests of the log again, with the same id and body. Ends a pause of the receiver. Returns their number.
 * Throws 404, 409 `WebhookIsDisabled`, and 403 if one of them contains an event that the caller may not read.
 */
export async function redeliver(ctx: SpaceContext, id: string, which: log.WhichMessages) {
  const { name, enabled } = await lockWebhook(ctx, id)
  if (!enabled) throw new AppError('WebhookIsDisabled')
  noteAudit(ctx, { objectId: id, objectName: name })
  if (await log.hasUnreadable(ctx.db, ctx.scope, id, which, await readableBy(ctx)))
    throw new AppError('Forbidden')
  const count = await log.redeliver(ctx.db, ctx.scope, id, which)
  await resumeWebhook(ctx.db, ctx.scope, id)
  // Even if nothing was selected, other messages may have waited for the end of the pause.
  await enqueueWebhookDelivery(ctx.db, ctx.scope, new Date())
  return { webhook: await getWebhook(ctx, id), count }
}

/** Sends one request of the log again, like {@link redeliver}. Throws 409 if it waits for its first attempt. */
export async function redeliverOne(ctx: SpaceContext, id: string, deliveryId: string) {
  const delivery = await getWebhookDelivery(ctx, id, deliveryId)
  const { webhook, count } = await redeliver(ctx, id, { ids: [deliveryId] })
  if (count === 0) throw new AppError('NotRedeliverable')
  return { webhook, delivery: await getWebhookDelivery(ctx, id, delivery._id) }
}

/** Sends the waiting messages of a receiver that accepted a test, unless its URL was changed during the test. */
async function resumeWorking({ db, scope }: SpaceContext, { id, url }: WebhookRow): Promise<void> {
  const current = await findWebhook(db, scope, id)
  if (!current?.enabled || current.url !== url || current.failingSince === null) return
  await recordSuccess(db, scope, id)
  await retryNow(db, scope, id)
  await enqueueWebhookDelivery(db, scope, new Date())
}

function deliveryView({ id, appId, modelId, titled, ...rest }: log.MessageRow, { apps, models }: Names) {
  const app = appId === null ? undefined : apps.get(appId)
  const model = modelId === null ? undefined : models.get(modelId)
  return {
    ...rest,
    documentId: app ? rest.documentId : null,
    _id: id,
    messageId: `msg_${id}`,
    app: app ?? null,
    model: model ? { uid: model.uid, name: model.name } : null,
    title: titled && titleOf({ fields: [titled.field], titleField: titled.field._id }, titledValues(titled)),
  }
}

const titledValues = ({ field, value }: NonNullable<log.MessageRow['titled']>) =>
  value === null ? {} : { [field._id]: value }
