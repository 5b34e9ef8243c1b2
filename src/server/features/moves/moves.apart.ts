import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { createWorkerPool, WorkTookTooLong, WorkTooLarge } from '#server/lib/worker-pool.ts'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import type { Language } from '#shared/languages.ts'
import type { PlanSurroundings } from './moves.plan.ts'
import type { Checked, Finding } from './moves.verify.ts'

/*
 * What people bring is read in threads: whatever stands in a file, and however long a parser takes for it, nobody else waits
 * (docs/decisions/0080).
 */

export interface ApartWorks {
  convert: {
    input: { path: string; fileName: string; folder: string; language: Language }
    result: MoveRefusal | undefined
  }
  verify: { input: Checked & { others?: number | undefined }; result: Finding }
  plan: { input: Checked & { language: Language | undefined }; result: MovePlan }
}

/** What a thread may ask the server, which has the connection to the database. */
export type Asked = Pick<PlanSurroundings, 'isAppTaken' | 'takenDocuments' | 'takenAssets'>
export interface Question {
  what: keyof Asked
  input: unknown
}

export interface ApartTask {
  kind: keyof ApartWorks
  input: unknown
  /** Where a thread writes how far it is: see {@link slots}. */
  shared: SharedArrayBuffer
  /** Takes questions, one after the other, and gives the answers. */
  port: MessagePort
}

/** Errors lose what is special about them between threads: what is needed of one goes as values. */
export type ApartOutcome =
  | { made: unknown }
  | { failed: { message: string; stack?: string | undefined; at: string | undefined } }

/** What stands where in the memory that a thread shares with the server. `done` −1: nothing is told yet; `total` −1: not known. */
export const slots = { done: 0, total: 1, beat: 2 } as const

/** The entry of the threads: beside this file, and in the bundle beside main.js. */
const entry = new URL(
  import.meta.url.endsWith('.ts') ? './moves.worker.ts' : './moves.worker.js',
  import.meta.url,
)

/** Large moves take hours, most of which they wait for files on the web. */
const aDay = 24 * 3_600_000
const pool = createWorkerPool<ApartTask, ApartOutcome>({
  entry,
  threads: 4,
  runLimit: aDay,
  waitLimit: aDay,
  idleLimit: 60_000,
  memory: 768,
})

const lookEvery = 500
/** Looks without a sign of life after which a thread is stuck in one value, which no real file has. */
const mostSilence = 240

interface Watching {
  progress(done: number, total: number | null): Promise<void>
  signal: AbortSignal
  answers?: Asked
  /** Told what was being read when it failed. */
  at?(what: string): void
}

/** Does the work in a thread. Throws what `progress` throws, the signal's reason, and WorkTooLarge for what does not end. */
export async function apart<Kind extends keyof ApartWorks>(
  kind: Kind,
  input: ApartWorks[Kind]['input'],
  { progress, signal, answers, at }: Watching,
): Promise<ApartWorks[Kind]['result']> {
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
    { kind, input, shared, port: port2 },
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
    if ('made' in outcome) return outcome.made as ApartWorks[Kind]['result']
    const { message, stack, at: place } = outcome.failed
    if (place !== undefined) at?.(place)
    throw Object.assign(new Error(message), stack === undefined ? {} : { stack })
  } finally {
    port1.close()
  }
}

async function answer(port: MessagePort, answers: Asked, { what, input }: Question): Promise<void> {
  const ask = answers[what] as (input: unknown) => Promise<unknown>
  port.postMessage(await ask(input))
}

/** Tells how far a thread is until it has ended. */
async function watch(told: Float64Array, progress: Watching['progress'], ended: AbortSignal): Promise<void> {
  let last = -1
  for (let silent = 0; silent < mostSilence; silent++) {
    await sleep(lookEvery, undefined, { signal: ended, ref: false }).catch(() => {})
    if (ended.aborted) return
    const beat = told[slots.beat] ?? 0
    // One that waits for its turn has not begun.
    if (beat !== last || beat === 0) silent = -1
    last = beat
    const done = told[slots.done] ?? -1
    const total = told[slots.total] ?? -1
    if (done >= 0) await progress(done, total < 0 ? null : total)
  }
  throw new WorkTookTooLong()
}

/** True for work that no thread could end: more memory or time than any real file takes. */
export const isTooMuch = (error: unknown): boolean => error instanceof WorkTooLarge

/** Which of both it was, as refusals say it. */
export const kindOf = (error: unknown): 'time' | 'memory' =>
  error instanceof WorkTookTooLong ? 'time' : 'memory'
