import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction, type SpaceScope } from '#server/db/scope.ts'
import type { JobContext } from '#server/jobs/job.ts'
import { type BodyWriter, createBodyWriter } from '../body/bodies.ts'
import { delayAfter, failuresAfter, mostFailures, pauseAfter } from './delivery-rules.ts'
import { mailDisabled, mailPaused } from './mail-receiver.ts'
import {
  type Attempt,
  listDue,
  type Result,
  retryNow,
  type WaitingMessage,
  writeAttempts,
} from './messages.repository.ts'
import {
  disableGone,
  holdReceiver,
  listReady,
  type ReadyWebhook,
  recordFailure,
  recordSuccess,
} from './receivers.repository.ts'
import { sendRequest } from './send-request.ts'
import { bodiesOf, isTooLarge } from './wave-bodies.ts'

/** Maximum number of concurrent requests to one receiver. */
const atOnce = 8
/** Maximum number of messages in a wave of requests. Bodies and results are stored once per wave. */
const mostPerWave = 64
/** Time in ms from the start of a wave after which it begins no further request. */
const longestWave = 1_000
/**
 * Time in ms from the start of a run, after which slow receivers get no further wave of requests. Then other spaces get
 * their turn.
 */
const longestRun = 10_000
/** Time in ms in which a wave of requests has ended, even if the receiver never responds. */
const longestRequest = 12_000
/** Duration of a wave in ms from which its receiver counts as slow instead of quick. */
const slowFrom = 3_000
/** Interval in ms between checks for receivers with due messages, while requests are sent to others. */
const lookEvery = 100
/** Minimum time in ms between two starts for one receiver, so that events in quick succession share a wave. */
const restartAfter = 250

interface Delivery {
  ctx: Pick<JobContext, 'db' | 'services' | 'signal'>
  scope: SpaceScope
  writer: BodyWriter
  /** Ids of the webhooks whose receivers were quick in this run. */
  quick: Set<string>
}

/**
 * Sends the due messages of a space until none is left or the time limit is reached. The receivers are processed
 * concurrently, so a slow receiver does not delay the others.
 */
export async function deliver(ctx: Delivery['ctx'], scope: SpaceScope): Promise<void> {
  const { db, services, signal } = ctx
  const end = performance.now() + longestRun
  const quick = new Set<string>()
  const delivery = { ctx, scope, writer: createBodyWriter({ db, services, scope }), quick }
  // Every pending request adds a listener to this signal. Without this call, Node.js warns about a leak.
  setMaxListeners(0, signal)
  const running = new Map<string, Promise<void>>()
  const begunAt = new Map<string, number>()
  const errors: unknown[] = []
  const isOver = () => performance.now() >= end
  const isStopped = () => signal.aborted || errors.length > 0
  /**
   * After the time limit, receivers still get their messages while a slow one keeps the run from ending: quick ones,
   * and for a while those that may be quick.
   */
  function mayGoOn({ id, failures }: ReadyWebhook): boolean {
    if (isStopped()) return false
    if (!isOver()) return true
    const late = performance.now() - end
    const isQuick = quick.has(id) ? late < 2 * longestRequest : failures === 0 && late < longestRequest
    return isQuick && [...running.keys()].some((other) => other !== id && !quick.has(other))
  }
  function begin(webhook: ReadyWebhook): void {
    const { id } = webhook
    const done = sendToReceiver(delivery, webhook, mayGoOn)
      .catch((error: unknown) => void errors.push(error))
      .finally(() => {
        running.delete(id)
      })
    begunAt.set(id, performance.now())
    running.set(id, done)
  }
  for (;;) {
    let isExpecting = false
    const ready = isStopped()
      ? []
      : await listReady(db, scope).catch((error: unknown) => {
          errors.push(error)
          return []
        })
    for (const webhook of ready) {
      const { id } = webhook
      if (running.has(id) || !mayGoOn(webhook)) continue
      if (performance.now() - (begunAt.get(id) ?? Number.NEGATIVE_INFINITY) >= restartAfter) begin(webhook)
      else isExpecting ||= !isOver()
    }
    if (running.size === 0 && !isExpecting) break
    await Promise.race([...(running.size > 0 ? [Promise.all(running.values())] : []), sleep(lookEvery)])
  }
  // The run ends only after all of its requests. Otherwise two runs could send to one receiver at the same time.
  if (errors.length > 0 && !signal.aborted) throw errors[0]
}

/**
 * Sends the due messages of one receiver until only new ones are left or the time limit is reached. Also ends if the
 * webhook is paused, disabled or deleted, or if its URL changes.
 */
async function sendToReceiver(
  delivery: Delivery,
  { id, url }: ReadyWebhook,
  mayGoOn: (webhook: ReadyWebhook) => boolean,
): Promise<void> {
  const { ctx, scope, quick } = delivery
  for (let isFirst = true; ; isFirst = false) {
    // Reloaded for each wave, so that a change of the webhook takes effect with the next wave.
    const [webhook] = await listReady(ctx.db, scope, id)
    if (!webhook || webhook.url !== url || ctx.signal.aborted) return
    if (!isFirst && !mayGoOn(webhook)) return
    // After a pause, the receiver is probed with one message.
    const most = webhook.failures >= mostFailures ? 1 : mostPerWave
    const messages = await listDue(ctx.db, scope, id, most)
    // New messages wait for the next start, so that they are sent together.
    if (messages.length === 0 || (!isFirst && messages.every(({ isNew }) => isNew))) return
    const begun = performance.now()
    await wave(delivery, webhook, messages)
    if (performance.now() - begun < slowFrom) quick.add(id)
    else quick.delete(id)
  }
}

/**
 * Sends messages concurrently and stores the results. Begins no further request after `longestWave`, or after a failed
 * request. The messages that were not sent are due again.
 */
async function wave(
  { ctx, scope, writer }: Delivery,
  webhook: ReadyWebhook,
  messages: WaitingMessage[],
): Promise<void> {
  const { db, services, signal } = ctx
  const { bodies, unwritten } = await bodiesOf({ ctx, scope, writer }, webhook, messages)
  const sent: { message: WaitingMessage; result: Result }[] = []
  const waiting = messages.filter(({ id }) => bodies.has(id))
  const end = performance.now() + longestWave
  let isGood = true
  const errors: unknown[] = []
  async function sendNext(): Promise<void> {
    while (isGood && performance.now() < end) {
      const message = waiting.shift()
      if (!message) return
      const { id, event } = message
      const body = bodies.get(id) ?? ''
      try {
        const result = await sendRequest(services, webhook, { id, event, body, signal })
        sent.push({ message, result })
        isGood &&= result.reason === null
      } catch (error) {
        errors.push(error)
        isGood = false
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sendNext))
  // A stopped run is not a failure of the receiver. The next run sends the message again.
  const ended = sent.filter(({ result }) => result.reason === null || !signal.aborted)
  // A message without a body was not sent, so it is no probe.
  const notSent = unwritten.map(({ message, result }) => ({
    message: { ...message, isProbe: false },
    result,
  }))
  const attempts = [...ended, ...notSent].map(attemptOf)
  // In a transaction of its own, because a deadlock would otherwise lose the results.
  await inTransaction(db, (tx) => writeAttempts(tx, scope, attempts))
  if (errors.length > 0) throw errors[0]
  const results = ended.map(({ result }) => result)
  if (results.some(({ status }) => status === gone)) {
    await inTransaction(db, async (tx) => {
      if (await disableGone(tx, scope, webhook)) await mailDisabled(tx, services, scope, webhook)
    })
    return
  }
  const isAccepted = results.some(({ reason }) => reason === null)
  if (isAccepted && webhook.failures > 0) await recordSuccess(db, scope, webhook.id)
  // The other messages need not wait for their own next attempts, which can be hours away.
  if (isAccepted && webhook.wasPaused) await retryNow(db, scope, webhook.id)
  const wait = Math.max(0, ...results.map(({ retryAfter }) => retryAfter ?? 0))
  if (wait > 0) await holdReceiver(db, scope, webhook, wait)
  if (isAccepted) return
  // A failed probe always prolongs the pause, because it is not one of the attempts of its message.
  const failed = results.filter((result) => webhook.wasPaused || !isBusy(result))
  if (failed.length === 0) return
  const failures = failuresAfter(webhook.failures, failed.length)
  await inTransaction(db, async (tx) => {
    const isNew = await recordFailure(tx, scope, webhook, failures, pauseAfter(failures))
    if (isNew) await mailPaused(tx, services, scope, webhook)
  })
}

/** HTTP status of a receiver that wants no further requests (Standard Webhooks). */
const gone = 410

/** Checks whether a receiver only limits the rate of requests, which is no failure of the receiver. */
const isBusy = ({ status, retryAfter }: Result) => status === 429 && (retryAfter ?? 0) > 0

function attemptOf({ message, result }: { message: WaitingMessage; result: Result }): Attempt {
  const { id: messageId, tries, nextAt, isProbe } = message
  const kept = { ...result, messageId, isProbe }
  const isFinal = result.status === gone || isTooLarge(result)
  if (result.reason === null || isFinal) return { ...kept, isProbe: false, nextAt: null }
  if (isProbe) return { ...kept, nextAt }
  const delay = delayAfter(tries + 1)
  if (delay === null) return { ...kept, nextAt: null }
  return { ...kept, nextAt: new Date(Date.now() + Math.max(delay, result.retryAfter ?? 0)) }
}
