import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction, type SpaceScope } from '#server/db/scope.ts'
import type { JobContext } from '#server/jobs/job.ts'
import { type OutgoingHttp, withListed } from '#server/lib/outgoing-http.ts'
import { type BodyWriter, createBodyWriter } from './bodies.ts'
import { failuresAfter, mostFailures, pauseAfter, retryAfter } from './delivery-rules.ts'
import {
  type Attempt,
  keepBodies,
  listDue,
  type WaitingMessage,
  writeAttempts,
} from './messages.repository.ts'
import { listReady, noteFailure, noteSuccess, type ReadyWebhook } from './receivers.repository.ts'
import { sendRequest } from './send-request.ts'
import { tellPaused } from './tell-paused.ts'

/** Requests to one receiver at a time. */
const atOnce = 8
/** Milliseconds after which lanes begin no further requests, so that other spaces get their turn. */
const longestRun = 30_000
/** Milliseconds between two looks for receivers that have something to be sent, while others are at work. */
const lookEvery = 200

interface Delivery {
  ctx: Pick<JobContext, 'db' | 'services' | 'signal'>
  scope: SpaceScope
  writer: BodyWriter
  /** `performance.now()` at which lanes begin no further requests. */
  end: number
}

/**
 * Sends the messages of a space that are due, until none is or the time is over. Each receiver has a lane of its own, so a
 * slow one holds up no other, and a lane that ended begins again when its receiver has something new.
 */
export async function deliver(ctx: Delivery['ctx'], scope: SpaceScope): Promise<void> {
  const { db, services, signal } = ctx
  const end = performance.now() + longestRun
  const delivery = { ctx, scope, writer: createBodyWriter({ db, services, scope }), end }
  // Every request under way listens to it.
  setMaxListeners(0, signal)
  const lanes = new Map<string, { begun: number; done: Promise<void> }>()
  const errors: unknown[] = []
  const goesOn = () => {
    if (signal.aborted || errors.length > 0) return false
    // After the end, the others go on for as long as a slow receiver keeps the run from ending.
    return performance.now() < end || [...lanes.values()].some(({ begun }) => begun < end)
  }
  for (;;) {
    for (const webhook of goesOn() ? await listReady(db, scope) : []) {
      if (lanes.has(webhook.id)) continue
      const done = lane(delivery, webhook)
        .catch((error: unknown) => void errors.push(error))
        .finally(() => lanes.delete(webhook.id))
      lanes.set(webhook.id, { begun: performance.now(), done })
    }
    if (lanes.size === 0) break
    await Promise.race([...[...lanes.values()].map(({ done }) => done), sleep(lookEvery)])
  }
  // The run ends only after all of its lanes, so that no two send to one receiver.
  if (errors.length > 0 && !signal.aborted) throw errors[0]
}

/** Sends what one receiver is due, until nothing is, the time is over, or the receiver is paused, changed or deleted. */
async function lane(delivery: Delivery, { id, url }: ReadyWebhook): Promise<void> {
  const { ctx, scope, end } = delivery
  const { services } = ctx
  await withListed(
    services.outgoing,
    { url, origins: services.config.webhooks.privateOrigins },
    async (outgoing) => {
      do {
        // Read anew for each wave, so that a change of the webhook is effective at once.
        const [webhook] = await listReady(ctx.db, scope, id)
        if (!webhook || webhook.url !== url || ctx.signal.aborted) return
        // A receiver that was paused is probed with one message.
        const most = webhook.failures >= mostFailures ? 1 : atOnce
        const messages = await listDue(ctx.db, scope, id, most)
        if (messages.length === 0) return
        await wave(delivery, outgoing, webhook, messages)
      } while (performance.now() < end)
    },
  )
}

/** Sends messages side by side, and writes what came of them. */
async function wave(
  { ctx, scope, writer }: Delivery,
  outgoing: OutgoingHttp,
  webhook: ReadyWebhook,
  messages: WaitingMessage[],
): Promise<void> {
  const { db, services, signal } = ctx
  const { bodies, unwritten } = await bodiesOf({ ctx, scope, writer }, webhook, messages)
  const sent = await Promise.all(
    messages.flatMap((message) => {
      const body = bodies.get(message.id)
      if (body === undefined) return []
      const { id, event } = message
      return [
        sendRequest({ outgoing, secrets: services.secrets }, webhook, { id, event, body, signal }).then(
          (result) => ({ message, result }),
        ),
      ]
    }),
  )
  // A run that is stopped is no failure of the receiver: the next one sends the message again.
  const ended = sent.filter(({ result }) => result.reason === null || !signal.aborted)
  const attempts = [...ended, ...unwritten.map((message) => ({ message, result: notWritten() }))].map(
    ({ message, result }): Attempt => {
      const pause = result.reason === null ? null : retryAfter(message.tries + 1)
      return {
        ...result,
        messageId: message.id,
        nextAt: pause === null ? null : new Date(Date.now() + pause),
      }
    },
  )
  await writeAttempts(db, scope, attempts)
  if (ended.some(({ result }) => result.reason === null)) {
    if (webhook.failures > 0) await noteSuccess(db, scope, webhook.id)
  } else if (ended.length > 0) {
    const failures = failuresAfter(webhook.failures, ended.length)
    await inTransaction(db, async (tx) => {
      const isNew = await noteFailure(tx, scope, webhook.id, failures, pauseAfter(failures))
      if (isNew) await tellPaused(tx, services, scope, webhook)
    })
  }
}

/**
 * The bodies of messages, each kept for all of its attempts. `unwritten`: those whose body could not be made, which holds up
 * no message but theirs. A message that gathered another event meanwhile is in neither: its turn comes later.
 */
async function bodiesOf(
  { ctx, scope, writer }: Omit<Delivery, 'end'>,
  webhook: ReadyWebhook,
  messages: WaitingMessage[],
): Promise<{ bodies: Map<string, string>; unwritten: WaitingMessage[] }> {
  const bodies = new Map<string, string>()
  const unwritten: WaitingMessage[] = []
  for (const message of messages) {
    if (message.body !== null) {
      bodies.set(message.id, message.body)
      continue
    }
    try {
      const body = await writer.bodyOf(webhook, message)
      const { id, events } = message
      const kept = await keepBodies(ctx.db, scope, [{ id, body, events: events.length }])
      if (kept.has(id)) bodies.set(id, body)
    } catch (err) {
      ctx.services.log.error(
        { err, webhook: webhook.id, message: message.id },
        'The body of a webhook could not be made',
      )
      unwritten.push(message)
    }
  }
  return { bodies, unwritten }
}

const notWritten = () =>
  ({
    at: new Date(),
    took: 0,
    status: null,
    reason: 'template',
    detail: '',
    headers: [],
    answer: null,
  }) as const
