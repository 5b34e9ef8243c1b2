import type { SpaceContext } from '#server/access/context.ts'
import { appsWith } from '#server/access/membership.ts'
import { findLiveApps, listApps } from '#server/features/apps/apps.service.ts'
import { isListed } from '#server/outgoing.ts'
import { isOtherReceiver, type WebhookInput } from '#shared/contract/webhooks.ts'
import { AppError, type Issue, invalid } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import { isForm } from './body/bodies.ts'
import { readTemplate } from './body/body-template.ts'
import type { Readable } from './log/log.repository.ts'
import { type Sealed, seal } from './sealed.ts'
import { listModels } from './targets.repository.ts'
import type { TargetRow, WebhookRow, WebhookValues } from './webhooks.repository.ts'

interface Named {
  uid: string
  name: string
}

/** The apps and models that the caller may see, by id. */
export interface Names {
  apps: Map<number, Named>
  models: Map<number, Named & { appId: number }>
}

export async function namesFor(ctx: SpaceContext): Promise<Names> {
  const apps = new Map((await listApps(ctx)).map(({ id, uid, name }) => [id, { uid, name }]))
  const models = await listModels(ctx.db, ctx.scope, [...apps.keys()])
  return { apps, models: new Map(models.map(({ id, ...model }) => [id, model])) }
}

/** The new settings of a webhook. `targets` undefined: the stored targets stay. */
type Wanted = Omit<WebhookInput, 'targets'> & { targets: WebhookInput['targets'] | undefined }

/**
 * Returns the columns of a webhook. `sealed`: its keys, and the values of secret headers that may stay. Throws 400 with
 * the path of the invalid value. Throws 403 if a new or changed webhook would send contents that the caller may not
 * read.
 */
export async function valuesOf(
  ctx: SpaceContext,
  id: string,
  { targets, headers, ...input }: Wanted,
  names: Names,
  sealed: Sealed,
  before?: WebhookRow,
): Promise<WebhookValues> {
  requireTemplate(input.body, headers)
  if (!before || isOtherReceiver(input.url, before.url)) requireAddress(ctx, input.url)
  const stored = headersOf(headers, sealed)
  const chosen = targets === undefined ? (before?.targets ?? null) : targetsOf(targets, names)
  const unseen =
    targets === undefined ? [] : (before?.targets ?? []).filter(({ appId }) => !names.apps.has(appId))
  const { name, url, method, enabled, events, body, includesBefore, includesAfter, batchSeconds } = input
  const values: WebhookValues = {
    ...{ name, url, method, enabled, events, body, includesBefore, includesAfter, batchSeconds },
    targets: chosen && [...chosen, ...unseen],
    headers: stored.headers,
    sealed: seal(ctx.services.secrets, id, { keys: sealed.keys, values: stored.values }),
    hasPreviousSecret: sealed.keys.length > 1,
  }
  const isNewSecret = headers.some(({ isSecret, value }) => isSecret && value !== undefined)
  const isEnabled = values.enabled && before?.enabled === false
  if (!before || isNewSecret || isEnabled || sends(values) !== sends(before))
    await requireReadable(ctx, values.targets, values.events)
  return values
}

/** Returns the contents and the destination of a webhook's requests as text that can be compared. */
const sends = ({
  url,
  method,
  events,
  targets,
  headers,
  body,
  includesBefore,
  includesAfter,
}: WebhookValues) =>
  JSON.stringify([
    ...[new URL(url).href, method, events, headers, body, includesBefore, includesAfter],
    targets?.map(({ appId, modelIds }) => [appId, modelIds?.toSorted()]).toSorted() ?? null,
  ])

/** Throws 400 for a URL to which no request would be sent. */
function requireAddress({ services }: SpaceContext, url: string): void {
  if (isListed(services.config, 'webhooks', url)) return
  if (!url.startsWith('https:') || services.outgoing.clientFor('webhooks', url).refuses(url))
    throw invalid('data.url', 'AddressNotAllowed')
}

/** Throws 400 if the template is invalid, with line and column, or if its headers require a form that it cannot be. */
export function requireTemplate(body: string | null, headers: WebhookInput['headers']): void {
  const read = body === null ? null : readTemplate(body)
  if (!read) return
  if ('placeholders' in read) {
    const isObject = read.isObject || !isForm(headers.map(({ name, value = null }) => ({ name, value })))
    if (!isObject) throw invalid('data.body', 'InvalidType')
    return
  }
  const { line, column, kind, detail } = read
  const code = kind === 'json' ? 'InvalidJson' : 'UnknownPlaceholder'
  throw new AppError('ValidationFailed', {
    issues: [{ path: 'data.body', code, params: { line, column, detail } }],
  })
}

/** Returns the headers in stored form, and the values of secret headers. Throws 400 for a header without a value. */
function headersOf(headers: WebhookInput['headers'], sealed: Sealed) {
  const values = new Map<string, string>()
  const issues: Issue[] = []
  const stored = headers.map(({ name, value, isSecret }, index) => {
    const known = value ?? (isSecret ? sealed.values.get(name) : undefined)
    if (known === undefined) issues.push({ path: `data.headers.${index}.value`, code: 'Required' })
    if (isSecret && known !== undefined) values.set(name, known)
    return { name, value: isSecret ? null : (known ?? '') }
  })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  return { headers: stored, values }
}

/** Returns the ids of the selected apps and models. Throws 400 for unknown ones. */
export function targetsOf(chosen: WebhookInput['targets'], { apps, models }: Names): TargetRow[] | null {
  if (chosen === null) return null
  const idOf = new Map([...apps].map(([id, { uid }]) => [uid, id]))
  return chosen.map(({ app, models: uids }, index) => {
    const appId = idOf.get(app)
    if (appId === undefined) throw invalid(`data.targets.${index}.app`, 'InvalidValue')
    const modelIds = uids?.map((uid, at) => {
      const model = [...models].find(([, one]) => one.appId === appId && one.uid === uid)
      if (!model) throw invalid(`data.targets.${index}.models.${at}`, 'InvalidValue')
      return model[0]
    })
    return { appId, modelIds: modelIds ? [...new Set(modelIds)] : null }
  })
}

/** Returns which contents of webhook messages the caller may read. */
export const readableBy = async (ctx: SpaceContext): Promise<Readable> => ({
  apps: await appsWith(ctx, 'document.read'),
  files: can(ctx.grants, 'asset.read'),
})

/**
 * Checks that the caller may read the contents that a webhook would send. Throws 403 with the paths of targets whose
 * documents the caller may not read completely. The paths include `data.events` if it lists events of assets and the
 * caller may not read assets.
 */
export async function requireReadable(
  ctx: SpaceContext,
  targets: TargetRow[] | null,
  events: readonly string[],
): Promise<void> {
  const paths: string[] = []
  const { apps: readable, files } = await readableBy(ctx)
  if (events.some((event) => event.startsWith('asset.')) && !files) paths.push('data.events')
  if (readable !== null && targets === null) paths.push('data.targets')
  if (readable !== null && targets !== null) {
    const live = await findLiveApps(
      ctx.db,
      ctx.scope,
      targets.map(({ appId }) => appId),
    )
    for (const [index, { appId }] of targets.entries())
      if (live.includes(appId) && !readable.includes(appId)) paths.push(`data.targets.${index}.app`)
  }
  if (paths.length > 0)
    throw new AppError('Forbidden', { issues: paths.map((path) => ({ path, code: 'NotAllowed' })) })
}
