import type { BodyInputOf } from '#shared/contract/endpoint.ts'
import {
  isOtherReceiver,
  type Webhook,
  type WebhookEvent,
  type webhookEndpoints,
  type webhookMethods,
} from '#shared/contract/webhooks.ts'
import type { Language } from '#shared/languages.ts'
import { shorten } from '#shared/unicode.ts'
import { batchSecondsOf, buildEvents, chatEvents, type Preset } from './presets.ts'

export interface HeaderRow {
  /** Identifies the row in the form. */
  key: number
  name: string
  value: string
  isSecret: boolean
  /** Whether the stored secret value stays. It is never shown. */
  isKept: boolean
}

/**
 * Returns the scheme (`Bearer`) if the value of an authorization header consists of it alone, without the token. null:
 * the header is complete, or another one.
 */
export const schemeAlone = ({ name, value }: Pick<HeaderRow, 'name' | 'value'>): string | null =>
  name.trim().toLowerCase() === 'authorization' && /^(bearer|basic|token)$/i.test(value.trim())
    ? value.trim()
    : null

export type Target = NonNullable<Webhook['targets']>[number]

/** The inputs of a webhook's form. */
export interface Values {
  name: string
  url: string
  method: (typeof webhookMethods)[number]
  enabled: boolean
  events: WebhookEvent[]
  scope: 'all' | 'chosen'
  targets: Target[]
  headers: HeaderRow[]
  bodyKind: 'default' | 'own'
  body: string
  includesBefore: boolean
  includesAfter: boolean
  batchSeconds: number | ''
}

/** The result of `toBody`, which suits the endpoints for creating and updating. */
type WebhookBody = NonNullable<
  BodyInputOf<typeof webhookEndpoints.createWebhook> & BodyInputOf<typeof webhookEndpoints.updateWebhook>
>

/** Returns the values of a new webhook. `preset`: null if no service was chosen. */
export function newValues(preset: Preset | null, language: Language, scope: Values['scope']): Values {
  // A URL with parts in capitals is a template that the user completes. A URL with “…” is only an example, so the
  // input starts empty.
  const isTemplate = preset !== null && !preset.address.includes('…')
  return {
    name: preset?.name ?? '',
    url: isTemplate ? preset.address : '',
    method: 'POST',
    enabled: true,
    events: [...(preset?.kind === 'chat' ? chatEvents : buildEvents)],
    scope,
    targets: [],
    headers: (preset?.headers ?? []).map((header, key) => ({ ...header, key, isKept: false })),
    bodyKind: preset?.body ? 'own' : 'default',
    body: preset?.body?.[language] ?? '',
    includesBefore: false,
    includesAfter: false,
    batchSeconds: preset ? batchSecondsOf[preset.kind] : 0,
  }
}

/** Returns the values of a copy. Secret headers have to be entered again, because the admin cannot read them. */
export function copiedValues(webhook: Webhook, name: string): Values {
  const values = valuesOf(webhook)
  return {
    ...values,
    name: shorten(name, 100),
    headers: values.headers.map((header) => ({ ...header, isKept: false })),
  }
}

export function valuesOf(webhook: Webhook): Values {
  const {
    name,
    url,
    method,
    enabled,
    events,
    targets,
    headers,
    body,
    includesBefore,
    includesAfter,
    batchSeconds,
  } = webhook
  return {
    ...{ name, url, method, enabled, events, includesBefore, includesAfter, batchSeconds },
    scope: targets ? 'chosen' : 'all',
    targets: targets ?? [],
    headers: headers.map((header, key) => ({
      ...header,
      key,
      value: header.value ?? '',
      isKept: header.isSecret,
    })),
    bodyKind: body === null ? 'default' : 'own',
    body: body ?? '',
  }
}

/** Returns the rows to send: rows with a name, a value or a stored secret. */
export const sentHeaders = (headers: HeaderRow[]): HeaderRow[] =>
  headers.filter(({ name, value, isKept }) => isKept || name.trim() !== '' || value !== '')

/**
 * Returns whether the URL is valid and differs from the stored one. The server then requires all secret values again.
 */
export const isElsewhere = (url: string, stored: string | null): boolean =>
  stored !== null && URL.canParse(url.trim()) && isOtherReceiver(url.trim(), stored)

/** Returns the request body that creates or updates a webhook. */
export function toBody({
  scope,
  targets,
  headers,
  bodyKind,
  body,
  batchSeconds,
  url,
  ...values
}: Values): WebhookBody {
  return {
    data: {
      ...values,
      url: url.trim(),
      batchSeconds: Number(batchSeconds),
      targets: scope === 'all' ? null : targets,
      headers: sentHeaders(headers).map(({ name, value, isSecret, isKept }) => ({
        name: name.trim(),
        isSecret,
        ...(isKept ? {} : { value: value.trim() }),
      })),
      body: bodyKind === 'own' && values.method !== 'GET' ? body : null,
    },
  }
}
