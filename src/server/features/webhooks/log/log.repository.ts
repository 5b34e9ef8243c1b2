import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import type { AttemptReason, WebhookDelivery, WebhookEvent } from '#shared/contract/webhooks.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import type { StoredBody } from '../delivery/bodies.repository.ts'
import type { EventReference } from '../delivery/messages.repository.ts'
import type { TargetRow } from '../webhooks.repository.ts'

export interface MessageRow {
  id: string
  event: WebhookDelivery['event']
  /** Number of events in the message. */
  events: number
  eventTypes: WebhookDelivery['eventTypes']
  appId: number | null
  modelId: number | null
  documentId: string | null
  /** The title field of the document's model, and its current value. null: none, or not readable. */
  titled: { field: Field; value: StoredValues[string] } | null
  state: WebhookDelivery['state']
  attempts: number
  nextAt: Date | null
  status: number | null
  reason: AttemptReason | null
  took: number | null
  createdAt: Date
  endedAt: Date | null
}

export interface LogQuery {
  state?: MessageRow['state'] | undefined
  event?: string | undefined
  /** Id of a message. Only older messages are returned. */
  before?: string | undefined
  limit: number
}

const columns = sql`m.id, m.event, jsonb_array_length(m.events) AS events,
  ARRAY(SELECT DISTINCT e->>'event' FROM jsonb_array_elements(m.events) e) AS "eventTypes", m.app_id AS "appId", m.model_id AS "modelId",
  m.document_id AS "documentId", titled.titled, m.state, m.attempts, m.next_at AS "nextAt", m.status, m.reason, m.took,
  m.created_at AS "createdAt", m.ended_at AS "endedAt"`

/**
 * Contents that a user may read. `apps`: apps whose documents are readable (null: all). `files`: whether assets are
 * readable.
 */
export interface Readable {
  apps: number[] | null
  files: boolean
}

/** Joins the title of the document of `m`, if the caller may read all documents of its app. */
const withTitle = ({ apps }: Readable) => sql`LEFT JOIN LATERAL (
    SELECT jsonb_build_object('field', field, 'value', coalesce(d.draft, d.pub)->model.title_field) AS titled
    FROM document d JOIN model ON model.id = d.model_id CROSS JOIN jsonb_array_elements(model.fields) field
    WHERE d.space_id = m.space_id AND d.model_id = m.model_id AND d.id = m.document_id
      AND field->>'_id' = model.title_field AND (${apps}::int[] IS NULL OR model.app_id = ANY(${apps}::int[]))
  ) titled ON true`

/** Returns up to `limit` messages of a webhook, newest first. */
export async function listMessages(
  db: Db,
  { spaceId }: SpaceScope,
  webhookId: string,
  { state, event, before, limit }: LogQuery,
  readable: Readable,
): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    SELECT ${columns} FROM webhook_message m ${withTitle(readable)}
    WHERE m.space_id = ${spaceId} AND m.webhook_id = ${webhookId}
      AND (${state ?? null}::text IS NULL OR m.state = ${state ?? null})
      AND (${event ?? null}::text IS NULL OR m.events @> jsonb_build_array(jsonb_build_object('event', ${event ?? null}::text)))
      AND (${before ?? null}::text IS NULL OR m.sequence < (SELECT sequence FROM webhook_message
        WHERE space_id = ${spaceId} AND id = ${before ?? null}))
    ORDER BY m.sequence DESC LIMIT ${limit}`.execute(db)
  return rows
}

/**
 * Checks whether the message `m` contains an event that the caller may not read. Events of deleted apps are readable
 * only if all apps are.
 */
const isUnreadable = ({ apps, files }: Readable) =>
  sql<boolean>`EXISTS (SELECT FROM jsonb_array_elements(m.events) e
    WHERE (e->>'appId' IS NOT NULL AND (e->>'appId')::int <> ALL (${apps}::int[]))
      OR (e->>'assetId' IS NOT NULL AND NOT ${files}::bool))`

/** Returns a message with its body, and whether the caller may read all of its events. */
export async function findMessage(
  db: Db,
  { spaceId }: SpaceScope,
  webhookId: string,
  id: string,
  readable: Readable,
): Promise<(MessageRow & StoredBody & { isReadable: boolean }) | undefined> {
  const { rows } = await sql<MessageRow & StoredBody & { isReadable: boolean }>`
    SELECT ${columns}, m.body, m.body_gzip AS packed, NOT ${isUnreadable(readable)} AS "isReadable"
    FROM webhook_message m ${withTitle(readable)}
    WHERE m.space_id = ${spaceId} AND m.webhook_id = ${webhookId} AND m.id = ${id}`.execute(db)
  return rows[0]
}

export interface AttemptRow {
  at: Date
  took: number
  status: number | null
  reason: AttemptReason | null
  detail: string
  requestHeaders: { name: string; value: string }[]
  answer: string | null
}

/** Returns up to 100 attempts of a message, newest first. */
export function listAttempts(db: Db, { spaceId }: SpaceScope, messageId: string): Promise<AttemptRow[]> {
  return db
    .selectFrom('webhook_attempt')
    .select(['at', 'took', 'status', 'reason', 'detail', 'headers as requestHeaders', 'answer'])
    .where('space_id', '=', spaceId)
    .where('message_id', '=', messageId)
    .orderBy('number', 'desc')
    .limit(100)
    .$castTo<AttemptRow>()
    .execute()
}

/** Selection of the messages to redeliver. */
export interface WhichMessages {
  ids?: readonly string[]
  /** `retrying`: those that wait for a retry. `failed`: these, and those that were given up. */
  state?: 'failed' | 'retrying' | undefined
  from?: string
  to?: string
}

/**
 * Checks whether `m` is selected for redelivery. Excludes tests, and messages that still wait for their first attempt.
 */
function isChosen({ spaceId }: SpaceScope, webhookId: string, { ids, state, from, to }: WhichMessages) {
  const chosen = sql`(${ids ?? null}::text[] IS NULL OR m.id = ANY(${ids ?? null}::text[]))
    AND (${state ?? null}::text IS NULL OR m.reason IS NOT NULL)
    AND (${state ?? null}::text IS DISTINCT FROM 'retrying' OR m.state = 'waiting')
    AND (${from ?? null}::timestamptz IS NULL OR m.created_at >= ${from ?? null}::timestamptz)
    AND (${to ?? null}::timestamptz IS NULL OR m.created_at <= ${to ?? null}::timestamptz)`
  return sql<boolean>`m.space_id = ${spaceId} AND m.webhook_id = ${webhookId}
    AND (m.state <> 'waiting' OR m.attempts > 0) AND m.event <> 'test' AND ${chosen}`
}

/** Checks whether a selected message contains an event that the caller may not read. */
export async function hasUnreadable(
  db: Db,
  scope: SpaceScope,
  webhookId: string,
  which: WhichMessages,
  readable: Readable,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM webhook_message m WHERE ${isChosen(scope, webhookId, which)} AND ${isUnreadable(readable)} LIMIT 1`.execute(
    db,
  )
  return rows.length > 0
}

/** Deletes the messages of a webhook, sent or not, that contain an event the caller may not read. */
export async function deleteUnreadable(
  db: Db,
  { spaceId }: SpaceScope,
  webhookId: string,
  readable: Readable,
): Promise<void> {
  await sql`
    DELETE FROM webhook_message m
    WHERE m.space_id = ${spaceId} AND m.webhook_id = ${webhookId} AND ${isUnreadable(readable)}`.execute(db)
}

/**
 * Makes messages due again, with the same id and body. Returns their number. `failed` includes messages that wait for a
 * retry.
 */
export async function redeliver(
  db: Db,
  scope: SpaceScope,
  webhookId: string,
  which: WhichMessages,
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE webhook_message m SET state = 'waiting', next_at = now(), ended_at = NULL, tries = 0, waiting_since = now()
    WHERE ${isChosen(scope, webhookId, which)}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/**
 * Returns an example of an event: about the newest asset for events of assets, or about the most recently changed
 * document of the targets for events of documents. undefined: there is no such asset or document, or it is another kind
 * of event.
 */
export async function findExample(
  db: Db,
  { spaceId }: SpaceScope,
  event: WebhookEvent,
  targets: TargetRow[] | null,
  actor: Pick<EventReference, 'actorKind' | 'actorId' | 'actorName'>,
): Promise<EventReference | undefined> {
  const base = { position: null, event, ...actor, at: new Date().toISOString() }
  if (event.startsWith('asset.')) {
    const { rows } = await sql<{
      id: string
    }>`SELECT id FROM asset WHERE space_id = ${spaceId} AND deleted_at IS NULL
      ORDER BY created_at DESC LIMIT 1`.execute(db)
    const none = { appId: null, modelId: null, documentId: null, version: null }
    return rows[0] && { ...base, ...none, assetId: rows[0].id }
  }
  if (!event.startsWith('document.')) return undefined
  const models = targets?.flatMap(({ modelIds }) => modelIds ?? []) ?? []
  const wholeApps = targets?.flatMap(({ appId, modelIds }) => (modelIds === null ? [appId] : [])) ?? []
  const { rows } = await sql<{ id: string; version: number; modelId: number; appId: number }>`
    SELECT d.id, d.version, d.model_id AS "modelId", model.app_id AS "appId" FROM document d
    JOIN model ON model.id = d.model_id AND model.deleted_at IS NULL
    WHERE d.space_id = ${spaceId} AND d.deleted_at IS NULL AND (${targets === null}::bool
      OR d.model_id = ANY(${models}::int[]) OR model.app_id = ANY(${wholeApps}::int[]))
    ORDER BY d.updated_at DESC LIMIT 1`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { id: documentId, ...place } = row
  return {
    ...base,
    ...place,
    documentId,
    assetId: null,
    // The order of a model is no property of one document.
    ...(event === 'document.orderChanged' ? { version: null, documentId: null } : {}),
    // A deletion is a version of its own. The body contains the one before it.
    ...(event.startsWith('document.deleted') ? { version: place.version + 1 } : {}),
  }
}

/** Checks whether a test was sent within the last `seconds` seconds. */
export async function hasRecentTest(
  db: Db,
  { spaceId }: SpaceScope,
  webhookId: string,
  seconds: number,
): Promise<boolean> {
  const { rows } =
    await sql`SELECT FROM webhook_message WHERE space_id = ${spaceId} AND webhook_id = ${webhookId}
    AND event = 'test' AND created_at > now() - make_interval(secs => ${seconds}) LIMIT 1`.execute(db)
  return rows.length > 0
}
