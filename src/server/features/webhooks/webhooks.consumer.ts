import { type Db, inTransaction, type SpaceScope, spaceScope } from '#server/db/scope.ts'
import type { OutboxEvent, RepeatableConsumer } from '#server/jobs/event-consumer.ts'
import { newId } from '#server/lib/ids.ts'
import type { WebhookEvent } from '#shared/contract/webhooks.ts'
import type { EventType } from '#shared/events.ts'
import { addToBatch } from './delivery/batches.repository.ts'
import { type EventReference, insertMessages, type NewMessage } from './delivery/messages.repository.ts'
import { advancePositions, type ListeningWebhook, listListening } from './delivery/receivers.repository.ts'
import { enqueueWebhookDelivery } from './webhooks.jobs.ts'

/** The webhook event for each outbox event. null: another outbox event reports the same change. */
const eventOf: Partial<Record<EventType, (payload: Record<string, unknown>) => WebhookEvent | null>> = {
  // A document that is published on creation causes both events, `document.created` and `document.published`.
  'document.created': ({ publishedVersion }) => (publishedVersion === null ? 'document.saved' : null),
  'document.saved': () => 'document.saved',
  'document.restored': ({ publishedVersion }) =>
    publishedVersion === null ? 'document.saved' : 'document.published',
  'document.published': () => 'document.published',
  'document.unpublished': () => 'document.unpublished',
  'document.deleted': ({ wasPublished }) =>
    wasPublished === true ? 'document.deletedPublished' : 'document.deletedDraft',
  'document.customOrderChanged': () => 'document.orderChanged',
  'asset.created': () => 'asset.created',
  'asset.restored': () => 'asset.created',
  'asset.updated': () => 'asset.updated',
  'asset.replaced': () => 'asset.replaced',
  'asset.deleted': () => 'asset.deleted',
  'app.imported': () => 'import.finished',
}

/**
 * Creates messages for the webhooks that report the outbox events. Only writes rows: a job creates the bodies and sends
 * the requests.
 */
export const webhookConsumer: RepeatableConsumer = {
  name: 'webhooks',
  types: Object.keys(eventOf) as EventType[],
  async handle(events, { db }) {
    const spaceIds = [...new Set(events.map(({ spaceId }) => spaceId))]
    for (const id of await listListening(db, spaceIds)) {
      const references = events.filter(({ spaceId }) => spaceId === id).flatMap(referencesOf)
      await inTransaction(db, (tx) => addMessages(tx, spaceScope(id), references))
    }
  },
}

async function addMessages(
  db: Db,
  scope: SpaceScope,
  events: (EventReference & { position: number })[],
): Promise<void> {
  const last = events.at(-1)?.position
  if (last === undefined) return
  const now = new Date()
  const messages: NewMessage[] = []
  let first: Date | null = null
  for (const webhook of await advancePositions(db, scope, last)) {
    const matching = events.filter((event) => event.position > webhook.position && wants(webhook, event))
    if (matching.length === 0) continue
    const due = new Date(now.getTime() + webhook.batchSeconds * 1000)
    if (first === null || due < first) first = due
    if (webhook.batchSeconds > 0) await addToBatch(db, scope, webhook, matching, due)
    else
      for (const event of matching)
        messages.push({
          id: newId(),
          webhookId: webhook.id,
          event: event.event,
          events: [event],
          isBatch: false,
          nextAt: now,
        })
  }
  if (messages.length > 0) await insertMessages(db, scope, messages)
  if (first) await enqueueWebhookDelivery(db, scope, first)
}

/**
 * Checks whether a webhook reports an event. Events of the media library belong to no app, so all webhooks with that
 * event type report them.
 */
function wants({ events, targets }: ListeningWebhook, { event, appId, modelId }: EventReference): boolean {
  if (!(events as string[]).includes(event)) return false
  if (targets === null || appId === null) return true
  return targets.some(
    (target) =>
      target.appId === appId &&
      (target.modelIds === null || modelId === null || target.modelIds.includes(modelId)),
  )
}

function referencesOf({
  position,
  type,
  appId,
  modelId,
  documentId,
  actorKind,
  actorId,
  actorName,
  payload,
  createdAt,
}: OutboxEvent): (EventReference & { position: number })[] {
  const event = eventOf[type]?.(payload)
  if (!event) return []
  // The published version of a restored document can be older than its draft.
  const shown = (event === 'document.published' && payload.publishedVersion) || payload.version
  const version = typeof shown === 'number' && documentId !== null ? shown : null
  const assetId = typeof payload.assetId === 'string' ? payload.assetId : null
  const at = createdAt.toISOString()
  const actor = { actorKind, actorId, actorName }
  return [{ position, event, appId, modelId, documentId, version, assetId, ...actor, at }]
}
