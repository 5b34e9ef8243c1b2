import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction, type SpaceScope } from '#server/db/scope.ts'
import type { JobContext } from '#server/jobs/job.ts'
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

/** Maximum number of concurrent requests to one receiver. */
const atOnce = 8
/**
 * Time in ms from the start of a run, after which running lanes begin no further wave of requests. Then other spaces
 * get their turn.
 */
const longestRun = 30_000
/** Interval in ms between checks for receivers with due messages, while lanes are running. */
const lookEvery = 200

interface Delivery {
  ctx: Pick<JobContext, 'db' | 'services' | 'signal'>
  scope: SpaceScope
  writer: BodyWriter
  /** Value of `performance.now()` after which running lanes begin no further wave of requests. */
  end: number
}

/**
 * Sends the due messages of a space until none is left or the time limit is reached. Each receiver has its own lane, so
 * a slow receiver does not delay the others. A lane that has ended starts again when its receiver has new due messages.
 */
export async function deliver(ctx: Delivery['ctx'], scope: SpaceScope): Promise<void> {
  const { db, services, signal } = ctx
  const end = performance.now() + longestRun
  const delivery = { ctx, scope, writer: createBodyWriter({ db, services, scope }), end }
  // Every pending request adds a listener to this signal. Without this call, Node.js warns about a leak.
  setMaxListeners(0, signal)
  const lanes = new Map<string, { begun: number; done: Promise<void> }>()
  const errors: unknown[] = []
  const goesOn = () => {
    if (signal.aborted || errors.length > 0) return false
    // After the time limit, lanes may still start and send one wave, as long as a slow receiver keeps the run from
    // ending.
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
  // The run ends only after all of its lanes. Otherwise two runs could send to one receiver at the same time.
  if (errors.length > 0 && !signal.aborted) throw errors[0]
}

/**
 * Sends the due messages of one receiver until none is left or the time limit is reached. Also ends if the webhook is
 * paused, disabled or deleted, or if its URL changes.
 */
async function lane(delivery: Delivery, { id, url }: ReadyWebhook): Promise<void> {
  const { ctx, scope, end } = delivery
  do {
    // Reloaded for each wave, so that a change of the webhook takes effect with the next wave.
    const [webhook] = await listReady(ctx.db, scope, id)
    if (!webhook || webhook.url !== url || ctx.signal.aborted) return
    // After a pause, the receiver is probed with one message.
    const most = webhook.failures >= mostFailures ? 1 : atOnce
    const messages = await listDue(ctx.db, scope, id, most)
    if (messages.length === 0) return
    await wave(delivery, webhook, messages)
  } while (performance.now() < end)
}

/** Sends messages concurrently and stores the results. */
async function wave(
  { ctx, scope, writer }: Delivery,
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
        sendRequest(services, webhook, { id, event, body, signal }).then((result) => ({ message, result })),
      ]
    }),
  )
  // A stopped run is not a failure of the receiver. The next run sends the message again.
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
 * Returns the bodies of messages. Each body is stored and used for all attempts. `unwritten`: messages whose body could
 * not be created; they do not delay other messages. A message that received another event in the meantime is in neither
 * result and is sent later.
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
