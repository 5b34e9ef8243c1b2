import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { idPattern } from '../identifiers.ts'
import { idSchema, nameSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { secret } from './secret.ts'

/** The event types of webhooks. `test` is not among them, because it is only sent manually. */
export const webhookEvents = [
  'document.saved',
  'document.published',
  'document.unpublished',
  'document.deletedDraft',
  'document.deletedPublished',
  'document.orderChanged',
  'asset.created',
  'asset.updated',
  'asset.replaced',
  'asset.deleted',
  'import.finished',
] as const
export type WebhookEvent = (typeof webhookEvents)[number]

export const webhookMethods = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'] as const

export const webhookLimits = {
  perSpace: 50,
  headers: 20,
  /** Maximum length of a custom body, in UTF-16 units. */
  body: 64_000,
  url: 2000,
  /** Maximum length of a batching window, in seconds. */
  batchSeconds: 300,
} as const

/** Names that custom headers must not have, in addition to names that begin with `webhook-`, `proxy-` or `imori-`. */
const reservedHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'content-encoding',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const isReserved = (name: string) => {
  const folded = name.toLowerCase()
  return reservedHeaders.has(folded) || /^(webhook|proxy|imori)-/.test(folded)
}

const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error: 'InvalidFormat' })
  .refine((name) => !isReserved(name), { error: 'ReservedWord' })
/** Printable ASCII and blanks, RFC 9110 §5.5 without obsolete octets. */
const headerValue = z
  .string()
  .max(2000)
  .regex(/^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/, { error: 'InvalidFormat' })

const headerInput = z.strictObject({
  name: headerName,
  /** Omitted: the stored value of the secret header with the same name is kept. */
  value: headerValue.optional(),
  isSecret: z.boolean(),
})

const headerSchema = z.object({
  name: z.string(),
  /** null: the value is secret. Responses never contain secret values. */
  value: z.string().nullable(),
  isSecret: z.boolean(),
})

const targetSchema = z.object({
  /** uid of the app. */
  app: z.string().max(64),
  /** uids of models. null: all models of the app. */
  models: z.array(z.string().max(64)).max(500).nullable(),
})

const targetInput = z.strictObject(targetSchema.shape)

export const webhookUrl = z
  .string()
  .max(webhookLimits.url)
  .refine(
    (text) => {
      // Parsers of URLs accept white space, backslashes and extra slashes, so that the text looks like another URL.
      if (!/^https?:\/\/[^/\\@\s]/i.test(text) || /[\s\\\p{C}]/u.test(text) || !URL.canParse(text))
        return false
      const { username, password, hash } = new URL(text)
      return username === '' && password === '' && hash === ''
    },
    { error: 'InvalidFormat' },
  )
  .transform((text) => new URL(text).href)

/**
 * Returns whether `one` and `other` are different receivers, so that the secrets for one must not be sent to the other.
 * Any difference in the URL counts, because on many servers the path or the query identifies the receiver.
 */
export const isOtherReceiver = (one: string, other: string): boolean =>
  new URL(one).href !== new URL(other).href

const values = {
  name: nameSchema,
  url: webhookUrl,
  method: z.enum(webhookMethods),
  enabled: z.boolean(),
  events: z
    .array(z.enum(webhookEvents))
    .min(1, { error: 'Required' })
    .max(webhookEvents.length)
    .transform((events) => webhookEvents.filter((event) => events.includes(event))),
  /** null: all current and future apps of the space. */
  targets: z.array(targetInput).min(1, { error: 'Required' }).max(200).nullable(),
  headers: z
    .array(headerInput)
    .max(webhookLimits.headers)
    .superRefine((headers, context) => {
      const seen = new Set<string>()
      for (const [index, { name, isSecret }] of headers.entries()) {
        const folded = name.toLowerCase()
        if (seen.has(folded))
          context.addIssue({ code: 'custom', message: 'DuplicatedValue', path: [index, 'name'] })
        seen.add(folded)
        // The sender must know whether the body is a form.
        if (folded === 'content-type' && isSecret)
          context.addIssue({ code: 'custom', message: 'InvalidValue', path: [index, 'isSecret'] })
      }
    }),
  /** JSON with placeholders; null: the default body. */
  body: storableText(webhookLimits.body).nullable(),
  /** Whether the default body contains the document before the event, and after it. */
  includesBefore: z.boolean(),
  includesAfter: z.boolean(),
  /** Time in seconds for which events are collected into one request. 0: one request per event. */
  batchSeconds: z.int().min(0).max(webhookLimits.batchSeconds),
}

const create = z.strictObject({
  ...values,
  method: values.method.default('POST'),
  enabled: values.enabled.default(true),
  targets: values.targets.default(null),
  headers: values.headers.default([]),
  body: values.body.default(null),
  includesBefore: values.includesBefore.default(false),
  includesAfter: values.includesAfter.default(false),
  batchSeconds: values.batchSeconds.default(0),
})
export type WebhookInput = z.output<typeof create>
const update = z
  .strictObject({
    ...values,
    /**
     * The version that the caller edited. If the current version is another one, the change is refused with
     * `VersionConflict`.
     */
    version: z.int(),
  })
  .partial()
export type WebhookChanges = z.output<typeof update>

export const webhookSchema = z.object({
  _id: idSchema,
  name: z.string(),
  url: z.string(),
  method: z.enum(webhookMethods),
  enabled: z.boolean(),
  events: z.array(z.enum(webhookEvents)),
  /** Apps and models that were deleted, or that the caller may not see, are left out. */
  targets: z.array(targetSchema).nullable(),
  headers: z.array(headerSchema),
  body: z.string().nullable(),
  includesBefore: z.boolean(),
  includesAfter: z.boolean(),
  batchSeconds: z.int(),
  /** Whether requests are also signed with the previous signing secret. */
  hasPreviousSecret: z.boolean(),
  /** Grows with each change of the settings. */
  version: z.int(),
  /** Time of the first failed attempt since the receiver last accepted a request. null: none failed since then. */
  failingSince: timeSchema.nullable(),
  /** Pause after repeated failures of the receiver: when it began, and when it ends. null: not paused. */
  paused: z.object({ since: timeSchema, until: timeSchema }).nullable(),
  /** Time before which no request is sent, because the receiver asked to wait (Retry-After). null: it did not. */
  retryAfter: timeSchema.nullable(),
  /** Time at which the webhook was disabled, because its receiver responded with 410. null: it was not. */
  disabledAt: timeSchema.nullable(),
  /** The latest attempt, except tests. null: none. */
  last: z.object({ state: z.enum(['sent', 'failed']), at: timeSchema }).nullable(),
  /** Number of requests that wait to be sent, or to be sent again. */
  waiting: z.int(),
  /** Number of failed attempts in a row; 0 after the receiver has accepted a request. */
  failures: z.int(),
  createdBy: z.object({ _id: idSchema, name: z.string().nullable() }).nullable(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
})
export type Webhook = z.infer<typeof webhookSchema>

const withSecret = webhookSchema.extend({
  /** The signing secret of the Standard Webhooks specification, `whsec_…`. No other response contains it. */
  signingSecret: secret(),
})

/** `waiting`: not sent yet, or to be retried. `failed`: no further attempt. */
export const deliveryStates = ['waiting', 'sent', 'failed'] as const

/**
 * Why a request failed. `template`: the body could not be created. `expired`: the request could not be sent for three
 * days.
 */
export const attemptReasons = [
  'badUrl',
  'blockedAddress',
  'network',
  'status',
  'timeout',
  'template',
  'expired',
] as const

export type AttemptReason = (typeof attemptReasons)[number]

export const attemptSchema = z.object({
  at: timeSchema,
  /** Duration in ms. */
  took: z.int(),
  /** HTTP status. null: no response. */
  status: z.int().nullable(),
  reason: z.enum(attemptReasons).nullable(),
  /** A system code such as `ENOTFOUND`, or the refused host or port. Often empty. */
  detail: z.string(),
  /** Headers as sent, with the values of secret headers replaced. */
  requestHeaders: z.array(z.object({ name: z.string(), value: z.string() })),
  /** The beginning of the response as text, at most 4,096 bytes. null: no response, or the caller may not see it. */
  answer: z.string().nullable(),
})

/** PostgreSQL accepts neither the year 0 nor any number of decimals. */
const timeInput = z.iso
  .datetime()
  .max(40)
  .refine((text) => !text.startsWith('0000'), { error: 'InvalidValue' })

const namedSchema = z.object({ uid: z.string(), name: z.string() })

const deliverySchema = z.object({
  _id: idSchema,
  /** The `webhook-id` header of the requests. */
  messageId: z.string(),
  event: z.enum([...webhookEvents, 'test']),
  /** Number of events in the request. More than 1 if events were collected. */
  events: z.int(),
  /** The distinct types of these events. */
  eventTypes: z.array(z.enum([...webhookEvents, 'test'])),
  /** null: events of several apps, of none, or of an app that was deleted or that the caller may not see. */
  app: namedSchema.nullable(),
  model: namedSchema.nullable(),
  documentId: z.string().nullable(),
  /** Current title of the document. null: none, or the caller may not read it. */
  title: z.string().nullable(),
  state: z.enum(deliveryStates),
  attempts: z.int(),
  /** Time at which the next attempt is due. null: no further attempt. */
  nextAt: timeSchema.nullable(),
  status: z.int().nullable(),
  reason: z.enum(attemptReasons).nullable(),
  /** Duration of the last attempt in ms. null: no attempt yet. */
  took: z.int().nullable(),
  createdAt: timeSchema,
  endedAt: timeSchema.nullable(),
})
export type WebhookDelivery = z.infer<typeof deliverySchema>

const deliveryDetailSchema = deliverySchema.extend({
  /** The body as sent, byte for byte. null: not created yet, or the caller may not see it. */
  body: z.string().nullable(),
  /** Whether the caller may read all contents in the body. */
  isReadable: z.boolean(),
  /** The attempts, newest first, at most 100. */
  log: z.array(attemptSchema),
})
export type WebhookDeliveryDetail = z.infer<typeof deliveryDetailSchema>

const shows = ['name', 'url', 'method', 'enabled', 'events', 'targets', 'batchSeconds', 'headerNames']

export const webhookEndpoints = {
  listWebhooks: endpoint('GET /api/project/{p}/webhook', {
    summary: 'List the webhooks of a space, newest first',
    permission: 'webhook.manage',
    response: z.object({ webhooks: z.array(webhookSchema) }),
  }),
  getWebhook: endpoint('GET /api/project/{p}/webhook/{id}', {
    summary: 'Get a webhook',
    permission: 'webhook.manage',
    response: z.object({ webhook: webhookSchema }),
  }),
  createWebhook: endpoint('POST /api/project/{p}/webhook', {
    idempotent: true,
    answersSecret: true,
    audit: { act: 'webhook.create', of: 'webhook', shows },
    summary: 'Create a webhook',
    description:
      'The caller must be able to read the documents of its apps, because it sends content to its URL ' +
      '(403). Only this response contains the signing secret. 400 for a URL without TLS or in a private ' +
      'network, unless the operator allows it. 409 `TooManyWebhooks` if the space has 50.',
    permission: 'webhook.manage',
    body: z.strictObject({ data: create }),
    response: z.object({ webhook: withSecret }),
  }),
  updateWebhook: endpoint('PATCH /api/project/{p}/webhook/{id}', {
    audit: { act: 'webhook.update', of: 'webhook', shows },
    summary: 'Update a webhook',
    description:
      'Omitted properties stay. 409 `VersionConflict` for another `version` than the current one. A ' +
      'request that changes the URL must contain the values of secret headers again, or remove these ' +
      'headers (otherwise 400). A new URL deletes the requests in the log whose contents the caller ' +
      'cannot read. For apps whose documents the caller cannot read, changes of the sent content, of ' +
      'secret headers or of the URL, and enabling the webhook, are refused (403). Enabling the webhook, ' +
      'and a change of its URL or headers, end a pause and retry waiting requests now.',
    permission: 'webhook.manage',
    body: z.strictObject({ data: update }),
    response: z.object({ webhook: webhookSchema }),
  }),
  deleteWebhook: endpoint('DELETE /api/project/{p}/webhook/{id}', {
    audit: { act: 'webhook.delete' },
    summary: 'Delete a webhook with its log and its pending requests',
    permission: 'webhook.manage',
    response: successSchema,
  }),
  refreshWebhookSecret: endpoint('POST /api/project/{p}/webhook/{id}/secret', {
    idempotent: true,
    answersSecret: true,
    audit: { act: 'webhook.refreshKey', of: 'webhook' },
    summary: 'Create a new signing secret',
    description:
      'The previous secret stays valid until it is ended; an earlier one ends now. Only this response ' +
      'contains the new secret.',
    permission: 'webhook.manage',
    response: z.object({ webhook: withSecret }),
  }),
  endPreviousWebhookSecret: endpoint('DELETE /api/project/{p}/webhook/{id}/secret/previous', {
    audit: { act: 'webhook.endFormerKey', of: 'webhook' },
    summary: 'End the previous signing secret',
    permission: 'webhook.manage',
    response: z.object({ webhook: webhookSchema }),
  }),
  sendWebhook: endpoint('POST /api/project/{p}/webhook/{id}/send', {
    idempotent: { none: 'each call sends one request, and says so' },
    audit: { act: 'webhook.send', of: 'webhook' },
    summary: 'Send a test event now',
    description:
      'The event is marked as a test. It is attempted once; the response has the result. 429 ' +
      '`TooManyRequests` within two seconds of the previous test.',
    permission: 'webhook.manage',
    transaction: 'own',
    maximumSeconds: 30,
    response: z.object({ webhook: webhookSchema, delivery: deliveryDetailSchema }),
  }),
  previewWebhook: endpoint('POST /api/project/{p}/webhook:preview', {
    idempotent: { none: 'it changes nothing' },
    audit: { none: 'it changes nothing' },
    summary: 'Preview the body that a webhook would send for its newest content',
    description:
      'Shows the most recently changed document of the targets, or the newest asset, and an example if ' +
      'there is none (`isReal` is false). An invalid template returns 400 with line and column. 403 for ' +
      'apps whose documents the caller cannot read.',
    permission: 'webhook.manage',
    body: z.strictObject({
      data: z.strictObject({
        body: values.body,
        event: z.enum(webhookEvents),
        targets: values.targets,
        includesBefore: values.includesBefore,
        includesAfter: values.includesAfter,
        batchSeconds: values.batchSeconds,
        /** Determine whether the body is sent as a form. */
        headers: values.headers.default([]),
      }),
    }),
    response: z.object({
      body: z.string(),
      /** Whether the body shows existing content, not an example. */
      isReal: z.boolean(),
    }),
  }),
  listWebhookDeliveries: endpoint('GET /api/project/{p}/webhook/{id}/delivery', {
    summary: 'List requests of a webhook, newest first',
    description: 'The log keeps the last 100 requests of a webhook, and up to 10,000 of the last 30 days.',
    permission: 'webhook.manage',
    query: z.object({
      state: z.enum(deliveryStates).optional(),
      event: z.enum([...webhookEvents, 'test']).optional(),
      /** Only entries older than this one. */
      before: z.string().regex(idPattern).optional(),
      limit: z.coerce.number().int().min(1).max(100).default(50),
    }),
    response: z.object({ deliveries: z.array(deliverySchema), isMore: z.boolean() }),
  }),
  getWebhookDelivery: endpoint('GET /api/project/{p}/webhook/{id}/delivery/{d}', {
    summary: 'Get a request of a webhook with its body and all attempts',
    description:
      'The body and the responses of the receiver are null if the caller cannot read all contents of ' +
      'the request.',
    permission: 'webhook.manage',
    response: z.object({ delivery: deliveryDetailSchema }),
  }),
  redeliverWebhookDelivery: endpoint('POST /api/project/{p}/webhook/{id}/delivery/{d}/redeliver', {
    idempotent: true,
    audit: { act: 'webhook.replay', of: 'webhook' },
    summary: 'Send one request again now, with the same id and body',
    description:
      'Ends a pause of the receiver. 403 if the caller cannot read the contents of the request. 409 ' +
      '`NotRedeliverable` for a test, and for a request that waits for its first attempt. 409 ' +
      '`WebhookIsDisabled`.',
    permission: 'webhook.manage',
    response: z.object({ webhook: webhookSchema, delivery: deliveryDetailSchema }),
  }),
  redeliverWebhook: endpoint('POST /api/project/{p}/webhook/{id}/delivery:redeliver', {
    idempotent: true,
    audit: { act: 'webhook.replay', of: 'webhook' },
    summary: 'Send several requests again now, with the same ids and bodies',
    description:
      '`data` selects all failed requests (given up or waiting for a retry), only those that wait for ' +
      'a retry, or all requests of a period. Tests and requests that wait for their first attempt are omitted. Ends a pause ' +
      'of the receiver. Returns the number of requests. 403 if the caller cannot read the contents of ' +
      'one of them. 409 `WebhookIsDisabled`.',
    permission: 'webhook.manage',
    body: z.strictObject({
      data: z.union([
        z.strictObject({ state: z.enum(['failed', 'retrying']) }),
        /** `state`: only the failed ones of the period. */
        z.strictObject({ from: timeInput, to: timeInput, state: z.literal('failed').optional() }),
      ]),
    }),
    response: z.object({ webhook: webhookSchema, count: z.int() }),
  }),
}
