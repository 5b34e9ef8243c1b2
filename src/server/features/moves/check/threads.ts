import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { createWorkerPool, WorkTookTooLong, WorkTooLarge } from '#server/lib/worker-pool.ts'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import type { Language } from '#shared/languages.ts'
import type { PlanSurroundings } from '../plan/plan-contents.ts'
import { isSmall, type Turn } from '../store/turn.ts'
import type { Checked, Finding } from './verify-upload.ts'

/* Uploads are parsed in threads, so that no file can block the server, whatever it contains (docs/decisions/0080). */

export interface ThreadWorks {
  convert: {
    input: { path: string; fileName: string; folder: string; language: Language }
    result: MoveRefusal | undefined
  }
  verify: { input: Checked & { others?: number | undefined }; result: Finding }
  plan: { input: Checked & { language: Language | undefined }; result: MovePlan }
}

/** The database queries of a thread; only the server has a connection. */
export type Answers = Pick<PlanSurroundings, 'isAppTaken' | 'takenDocuments' | 'takenAssets'>
export interface Question {
  what: keyof Answers
  input: unknown
}

export interface ThreadTask {
  turn: Turn
  kind: keyof ThreadWorks
  input: unknown
  /** Progress of the thread: see {@link slots}. */
  shared: SharedArrayBuffer
  /** Carries questions, one at a time, and their answers. */
  port: MessagePort
}

/** Errors lose their properties between threads, so the needed ones are sent as values. */
export type ThreadOutcome =
  | { made: unknown }
  | { failed: { message: string; stack?: string | undefined; at: string | undefined } }

/**
 * Indexes into the memory that a thread shares with the server. `done` −1: nothing reported yet; `total` −1: unknown.
 */
export const slots = { done: 0, total: 1, beat: 2 } as const

/** Entry of the threads: next to this file, or next to main.js in the bundle. */
const entry = new URL(
  import.meta.url.endsWith('.ts') ? './moves.worker.ts' : './moves.worker.js',
  import.meta.url,
)

/** Large exports take hours, mostly spent on downloading files. */
const aDay = 24 * 3_600_000
/** Options of the pool, which bound the memory of all uploads, and the share of one account. */
export const threadBounds = {
  threads: 2,
  memory: 256,
  youngMemory: 32,
  maxPerOwner: 1,
  ownerOf: ({ turn }: Pick<ThreadTask, 'turn'>) => turn.account,
  sizeOf: ({ turn }: Pick<ThreadTask, 'turn'>) => (isSmall(turn.bytes) ? 0 : 1),
}
const pool = createWorkerPool<ThreadTask, ThreadOutcome>({
  entry,
  runLimit: aDay,
  waitLimit: aDay,
  idleLimit: 60_000,
  ...threadBounds,
})

const lookEvery = 500
/** Checks without a heartbeat after which a thread counts as stuck; no real file causes this many. */
const mostSilence = 240

interface Watching {
  turn: Turn
  progress(done: number, total: number | null): Promise<void>
  signal: AbortSignal
  answers?: Answers
  /** Called on failure with what was being read. */
  at?(what: string): void
}

/**
 * Runs the work in a thread. Throws what `progress` throws, the signal's reason, and WorkTooLarge when it exceeds its
 * limits.
 */
export async function inThread<Kind extends keyof ThreadWorks>(
  kind: Kind,
  input: ThreadWorks[Kind]['input'],
  { turn, progress, signal, answers, at }: Watching,
): Promise<ThreadWorks[Kind]['result']> {
  const shared = new SharedArrayBuffer(8 * Object.keys(slots).length)
  new Float64Array(shared)[slots.done] = -1
  const given = new AbortController()
  const { port1, port2 } = new MessageChannel()
  if (answers)
    port1.on(
      'message',
      (question: Question) => void answer(port1, answers, question).catch((error) => given.abort(error)),
    )
  const working = pool.run(
    { turn, kind, input, shared, port: port2 },
    { signal: AbortSignal.any([signal, given.signal]), moved: [port2] },
  )
  const ended = new AbortController()
  const settled = working.then(
    () => ended.abort(),
    () => ended.abort(),
  )
  try {
    await Promise.race([settled, watch(new Float64Array(shared), progress, ended.signal)])
  } catch (error) {
    given.abort(error)
  }
  try {
    const outcome = await working
    if ('made' in outcome) return outcome.made as ThreadWorks[Kind]['result']
    const { message, stack, at: place } = outcome.failed
    if (place !== undefined) at?.(place)
    throw Object.assign(new Error(message), stack === undefined ? {} : { stack })
  } finally {
    port1.close()
  }
}

async function answer(port: MessagePort, answers: Answers, { what, input }: Question): Promise<void> {
  const ask = answers[what] as (input: unknown) => Promise<unknown>
  port.postMessage(await ask(input))
}

/** Reports the progress of a thread until it ends. */
async function watch(
  shared: Float64Array,
  progress: Watching['progress'],
  ended: AbortSignal,
): Promise<void> {
  let last = -1
  for (let silent = 0; silent < mostSilence; silent++) {
    await sleep(lookEvery, undefined, { signal: ended, ref: false }).catch(() => {})
    if (ended.aborted) return
    const beat = shared[slots.beat] ?? 0
    // Without a first heartbeat it is still waiting in the queue.
    if (beat !== last || beat === 0) silent = -1
    last = beat
    const done = shared[slots.done] ?? -1
    const total = shared[slots.total] ?? -1
    if (done >= 0) await progress(done, total < 0 ? null : total)
  }
  throw new WorkTookTooLong()
}

/** Whether work was stopped because it needed more memory or time than any real file does. */
export const isTooMuch = (error: unknown): boolean => error instanceof WorkTooLarge

/** Whether time or memory was exceeded, as refusals name it. */
export const kindOf = (error: unknown): 'time' | 'memory' =>
  error instanceof WorkTookTooLong ? 'time' : 'memory'
