import { sql } from 'kysely'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { storedJson } from '#server/db/stored-json.ts'
import type { WebhookTable } from '#server/db/tables.ts'
import type { WebhookEvent } from '#shared/contract/webhooks.ts'

export interface TargetRow {
  appId: number
  /** null: all models of the app. */
  modelIds: number[] | null
}

export interface WebhookRow {
  id: string
  name: string
  url: string
  method: WebhookTable['method']
  enabled: boolean
  events: WebhookEvent[]
  /** null: all apps and models. */
  targets: TargetRow[] | null
  headers: { name: string; value: string | null }[]
  /** Signing keys and secret headers, encrypted. */
  sealed: string
  hasPreviousSecret: boolean
  body: string | null
  includesBefore: boolean
  includesAfter: boolean
  batchSeconds: number
  failures: number
  version: number
  failingSince: Date | null
  heldUntil: Date | null
  goneAt: Date | null
  pausedSince: Date | null
  pausedUntil: Date | null
  createdBy: string | null
  createdAt: Date
  updatedAt: Date
}

export interface ListedWebhook extends WebhookRow {
  creator: { _id: string; name: string | null } | null
  last: { state: 'sent' | 'failed'; at: number } | null
  waiting: number
}

const columns = [
  'webhook.id',
  'webhook.name',
  'url',
  'method',
  'enabled',
  'webhook.events',
  'targets',
  'headers',
  'sealed',
  'has_previous_secret as hasPreviousSecret',
  'webhook.body',
  'includes_before as includesBefore',
  'includes_after as includesAfter',
  'batch_seconds as batchSeconds',
  'failures',
  'webhook.version',
  'failing_since as failingSince',
  'held_until as heldUntil',
  'gone_at as goneAt',
  'paused_since as pausedSince',
  'paused_until as pausedUntil',
  'webhook.created_by as createdBy',
  'webhook.created_at as createdAt',
  'webhook.updated_at as updatedAt',
] as const

const listed = (db: Db, { spaceId }: SpaceScope) =>
  db
    .selectFrom('webhook')
    .leftJoin('account', 'account.id', 'webhook.created_by')
    .select(columns)
    .select(
      sql<ListedWebhook['creator']>`CASE WHEN webhook.created_by IS NOT NULL THEN jsonb_build_object(
        '_id', webhook.created_by, 'name', coalesce(nullif(account.name, ''), account.email)) END`.as(
        'creator',
      ),
    )
    .select(
      sql<
        ListedWebhook['last']
      >`(SELECT jsonb_build_object('state', CASE WHEN a.reason IS NULL THEN 'sent' ELSE 'failed' END,
          'at', extract(epoch FROM a.at) * 1000)
        FROM (SELECT m.id, m.attempts FROM webhook_message m WHERE m.space_id = webhook.space_id
            AND m.webhook_id = webhook.id AND m.attempts > 0 AND m.event <> 'test' ORDER BY m.sequence DESC LIMIT 20) m
        JOIN webhook_attempt a ON a.space_id = webhook.space_id AND a.message_id = m.id AND a.number = m.attempts
        ORDER BY a.at DESC LIMIT 1)`.as('last'),
    )
    .select(
      sql<number>`(SELECT count(*)::int FROM webhook_message m
        WHERE m.webhook_id = webhook.id AND m.space_id = webhook.space_id AND m.state = 'waiting')`.as(
        'waiting',
      ),
    )
    .where('webhook.space_id', '=', spaceId)
    .$castTo<ListedWebhook>()

/** Returns the webhooks of a space, newest first. */
export const listWebhooks = (db: Db, scope: SpaceScope): Promise<ListedWebhook[]> =>
  listed(db, scope).orderBy('webhook.created_at', 'desc').orderBy('webhook.id', 'desc').execute()

export const findWebhook = (db: Db, scope: SpaceScope, id: string): Promise<ListedWebhook | undefined> =>
  listed(db, scope).where('webhook.id', '=', id).executeTakeFirst()

/** Returns a webhook and locks its row. */
export const lockWebhook = (db: Db, { spaceId }: SpaceScope, id: string): Promise<WebhookRow | undefined> =>
  db
    .selectFrom('webhook')
    .select(columns)
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .$castTo<WebhookRow>()
    .executeTakeFirst()

export async function countWebhooks(db: Db, { spaceId }: SpaceScope): Promise<number> {
  const { count } = await db
    .selectFrom('webhook')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('space_id', '=', spaceId)
    .executeTakeFirstOrThrow()
  return count
}

export type WebhookValues = Pick<
  WebhookRow,
  | 'name'
  | 'url'
  | 'method'
  | 'enabled'
  | 'events'
  | 'targets'
  | 'headers'
  | 'sealed'
  | 'hasPreviousSecret'
  | 'body'
  | 'includesBefore'
  | 'includesAfter'
  | 'batchSeconds'
>

const stored = (values: WebhookValues) => ({
  name: values.name,
  url: values.url,
  method: values.method,
  enabled: values.enabled,
  events: values.events,
  targets: values.targets && storedJson(values.targets),
  headers: storedJson(values.headers),
  sealed: values.sealed,
  has_previous_secret: values.hasPreviousSecret,
  body: values.body,
  includes_before: values.includesBefore,
  includes_after: values.includesAfter,
  batch_seconds: values.batchSeconds,
})

export async function insertWebhook(
  db: Db,
  { spaceId }: SpaceScope,
  { id, createdBy, ...values }: WebhookValues & Pick<WebhookRow, 'id' | 'createdBy'>,
): Promise<void> {
  await db
    .insertInto('webhook')
    .values({ space_id: spaceId, id, created_by: createdBy, ...stored(values) })
    .execute()
}

/** The values of a webhook whose receiver works, or has not been tried since its settings changed. */
export const working = {
  failures: 0,
  failing_since: null,
  paused_since: null,
  paused_until: null,
  mailed_at: null,
  held_until: null,
  gone_at: null,
} as const

/** Updates a webhook. `resumes`: resets the failures of its receiver, its pause and its Retry-After. */
export async function updateWebhook(
  db: Db,
  { spaceId }: SpaceScope,
  id: string,
  values: WebhookValues,
  { resumes }: { resumes: boolean },
): Promise<void> {
  await db
    .updateTable('webhook')
    .set({
      ...stored(values),
      ...(resumes ? working : {}),
      updated_at: sql`now()`,
      version: sql`version + 1`,
    })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
}

/**
 * Ends the pause of a receiver that kept failing, and the time for which it asked to wait. The next request shows
 * whether it works again.
 */
export async function resumeWebhook(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db
    .updateTable('webhook')
    .set({
      paused_until: sql`CASE WHEN paused_until IS NOT NULL THEN least(paused_until, now()) END`,
      held_until: null,
    })
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteWebhook(db: Db, { spaceId }: SpaceScope, id: string): Promise<void> {
  await db.deleteFrom('webhook').where('space_id', '=', spaceId).where('id', '=', id).execute()
}
