import { accountOf } from '#server/access/actor.ts'
import { noteAudit } from '#server/access/audit.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { newId } from '#server/lib/ids.ts'
import {
  isOtherReceiver,
  type WebhookChanges,
  type WebhookInput,
  webhookLimits,
} from '#shared/contract/webhooks.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { shortenBatches } from './delivery/batches.repository.ts'
import { retryNow } from './delivery/messages.repository.ts'
import { newSigningSecret } from './delivery/signature.ts'
import { deleteUnreadable } from './log/log.repository.ts'
import { openSealed, seal } from './sealed.ts'
import { type Names, namesFor, readableBy, valuesOf } from './webhook-values.ts'
import { enqueueWebhookDelivery } from './webhooks.jobs.ts'
import type { ListedWebhook, WebhookRow } from './webhooks.repository.ts'
import * as webhooks from './webhooks.repository.ts'

/** A webhook in the form of API responses. */
export type WebhookView = ReturnType<typeof view>

export async function listWebhooks(ctx: SpaceContext): Promise<WebhookView[]> {
  const names = await namesFor(ctx)
  return (await webhooks.listWebhooks(ctx.db, ctx.scope)).map((webhook) => view(webhook, names))
}

/** Throws 404 if the webhook does not exist. */
export async function getWebhook(ctx: SpaceContext, id: string): Promise<WebhookView> {
  return view(await requireWebhook(ctx, id), await namesFor(ctx))
}

/**
 * Creates a webhook. Only this response contains its signing key. Throws 400 with the path of the invalid value, 403 if
 * the webhook would send contents that the caller may not read, and 409 `TooManyWebhooks`.
 */
export async function createWebhook(
  ctx: SpaceContext,
  input: WebhookInput,
): Promise<WebhookView & { signingSecret: string }> {
  await lockSpace(ctx, 'webhook.manage')
  if ((await webhooks.countWebhooks(ctx.db, ctx.scope)) >= webhookLimits.perSpace)
    throw new AppError('TooManyWebhooks')
  const id = newId()
  const signingSecret = newSigningSecret()
  const names = await namesFor(ctx)
  const values = await valuesOf(ctx, id, input, names, {
    keys: [signingSecret],
    values: new Map(),
  })
  await webhooks.insertWebhook(ctx.db, ctx.scope, { id, createdBy: accountOf(ctx.actor), ...values })
  const created = view(await requireWebhook(ctx, id), names)
  noteAudit(ctx, { after: audited(created) })
  return { ...created, signingSecret }
}

/**
 * Updates a webhook. Omitted properties stay unchanged. Throws 400 and 403 like {@link createWebhook}, 404, and 409
 * `VersionConflict` if the current version is not the given one.
 */
export async function updateWebhook(
  ctx: SpaceContext,
  id: string,
  { version, ...changes }: WebhookChanges,
): Promise<WebhookView> {
  const before = await lockWebhook(ctx, id)
  if (version !== undefined && version !== before.version)
    throw new AppError('VersionConflict', { details: { current: before.version } })
  const names = await namesFor(ctx)
  const shown = view({ ...before, creator: null, last: null, waiting: 0 }, names)
  const sealed = openSealed(ctx.services.secrets, before)
  const input = {
    ...before,
    headers: before.headers.map(({ name, value }) => ({
      name,
      isSecret: value === null,
      ...(value === null ? {} : { value }),
    })),
    ...given(changes),
    targets: changes.targets,
  }
  // Otherwise a user who changes the destination would receive the values of secret headers that another user entered.
  const isMoved = isOtherReceiver(before.url, input.url)
  const known = isMoved ? { ...sealed, values: new Map<string, string>() } : sealed
  const values = await valuesOf(ctx, id, input, names, known, before)
  const hasNewHeaders =
    JSON.stringify(values.headers) !== JSON.stringify(before.headers) ||
    changes.headers?.some(({ isSecret, value }) => isSecret && value !== undefined) === true
  const resumes = (values.enabled && !before.enabled) || isMoved || hasNewHeaders
  await webhooks.updateWebhook(ctx.db, ctx.scope, id, values, { resumes })
  // Messages can be about former apps and events, which the check of the new settings does not cover.
  if (isMoved) await deleteUnreadable(ctx.db, ctx.scope, id, await readableBy(ctx))
  if (resumes) await retryNow(ctx.db, ctx.scope, id)
  if (values.batchSeconds < before.batchSeconds)
    await shortenBatches(ctx.db, ctx.scope, id, values.batchSeconds)
  if (values.enabled) await enqueueWebhookDelivery(ctx.db, ctx.scope, new Date())
  const changed = view(await requireWebhook(ctx, id), names)
  noteAudit(ctx, {
    before: audited(shown),
    after: audited(changed),
    ...(isMoved ? { facts: { addressChanged: true } } : {}),
  })
  return changed
}

export async function deleteWebhook(ctx: SpaceContext, id: string): Promise<void> {
  const { name } = await lockWebhook(ctx, id)
  noteAudit(ctx, { objectName: name })
  await webhooks.deleteWebhook(ctx.db, ctx.scope, id)
}

/**
 * Creates another signing secret. The current one stays valid as the previous one, which becomes invalid. Throws 404.
 */
export async function refreshSecret(
  ctx: SpaceContext,
  id: string,
): Promise<WebhookView & { signingSecret: string }> {
  const signingSecret = newSigningSecret()
  const changed = await changeKeys(ctx, id, ([present]) => [signingSecret, ...(present ? [present] : [])])
  return { ...changed, signingSecret }
}

/** Removes the previous signing secret. Throws 404. */
export const endPreviousSecret = (ctx: SpaceContext, id: string): Promise<WebhookView> =>
  changeKeys(ctx, id, ([present]) => (present ? [present] : []))

async function changeKeys(
  ctx: SpaceContext,
  id: string,
  change: (keys: string[]) => string[],
): Promise<WebhookView> {
  const before = await lockWebhook(ctx, id)
  const { keys, values } = openSealed(ctx.services.secrets, before)
  const changed = change(keys)
  const sealed = seal(ctx.services.secrets, id, { keys: changed, values })
  await webhooks.updateWebhook(
    ctx.db,
    ctx.scope,
    id,
    { ...before, sealed, hasPreviousSecret: changed.length > 1 },
    { resumes: false },
  )
  return getWebhook(ctx, id)
}

/** Throws 404 if the webhook does not exist. */
export async function requireWebhook(ctx: SpaceContext, id: string): Promise<ListedWebhook> {
  const webhook = idPattern.test(id) ? await webhooks.findWebhook(ctx.db, ctx.scope, id) : undefined
  if (!webhook) throw new AppError('NotFound')
  return webhook
}

/** Returns a webhook and locks its row. Throws 404 if it does not exist. */
export async function lockWebhook(ctx: SpaceContext, id: string): Promise<WebhookRow> {
  const webhook = idPattern.test(id) ? await webhooks.lockWebhook(ctx.db, ctx.scope, id) : undefined
  if (!webhook) throw new AppError('NotFound')
  return webhook
}

function view(
  {
    id,
    headers,
    targets,
    pausedSince,
    pausedUntil,
    heldUntil,
    goneAt,
    creator,
    last,
    sealed: _,
    ...webhook
  }: ListedWebhook,
  names: Names,
) {
  return {
    ...webhook,
    _id: id,
    headers: headers.map(({ name, value }) => ({ name, value, isSecret: value === null })),
    targets:
      targets?.flatMap(({ appId, modelIds }) => {
        const app = names.apps.get(appId)
        if (app === undefined) return []
        const models = modelIds?.flatMap((modelId) => names.models.get(modelId)?.uid ?? [])
        return [{ app: app.uid, models: models ?? null }]
      }) ?? null,
    last: last && { ...last, at: new Date(last.at) },
    retryAfter: heldUntil && heldUntil.getTime() > Date.now() ? heldUntil : null,
    disabledAt: goneAt,
    paused: pausedSince && pausedUntil ? { since: pausedSince, until: pausedUntil } : null,
    createdBy: creator,
  }
}

const given = (changes: Omit<WebhookChanges, 'version'>) =>
  Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined),
  ) as Partial<WebhookInput>

/**
 * Returns the values for the audit log. Only the origin of the URL is logged, because the rest is often a secret, for
 * example of a deploy hook.
 */
const audited = ({ headers, url, ...shown }: WebhookView) => ({
  ...shown,
  url: new URL(url).origin,
  headerNames: headers.map(({ name }) => name),
})
