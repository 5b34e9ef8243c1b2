import { setTimeout as sleep } from 'node:timers/promises'
import { createWorkerPool, WorkTookTooLong, WorkTooLarge } from '#server/lib/worker-pool.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import type { Language } from '#shared/languages.ts'
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
}

export interface ApartTask {
  kind: keyof ApartWorks
  input: unknown
  /** Where a thread writes how far it is: see {@link slots}. */
  shared: SharedArrayBuffer
}

/** What stands where in the memory that a thread shares with the server. `total` −1: not known. */
export const slots = { done: 0, total: 1, beat: 2 } as const

/** The entry of the threads: beside this file, and in the bundle beside main.js. */
const entry = new URL(
  import.meta.url.endsWith('.ts') ? './moves.worker.ts' : './moves.worker.js',
  import.meta.url,
)

/** Large moves take hours, most of which they wait for files on the web. */
const aDay = 24 * 3_600_000
const pool = createWorkerPool<ApartTask, unknown>({
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
  /** For tests: looks without a sign of life. */
  silence?: number
}

/** Does the work in a thread. Throws what `progress` throws, the signal's reason, and WorkTooLarge for what does not end. */
export async function apart<Kind extends keyof ApartWorks>(
  kind: Kind,
  input: ApartWorks[Kind]['input'],
  { progress, signal, silence = mostSilence }: Watching,
): Promise<ApartWorks[Kind]['result']> {
  const shared = new SharedArrayBuffer(8 * Object.keys(slots).length)
  const given = new AbortController()
  const working = pool.run({ kind, input, shared }, AbortSignal.any([signal, given.signal]))
  const ended = new AbortController()
  const settled = working.then(
    () => ended.abort(),
    () => ended.abort(),
  )
  try {
    await Promise.race([settled, watch(new Float64Array(shared), { progress, silence }, ended.signal)])
  } catch (error) {
    given.abort(error)
  }
  return (await working) as ApartWorks[Kind]['result']
}

/** Tells how far a thread is until it has ended. */
async function watch(
  told: Float64Array,
  { progress, silence }: Pick<Watching, 'progress'> & { silence: number },
  ended: AbortSignal,
): Promise<void> {
  let last = -1
  for (let silent = 0; silent < silence; silent++) {
    await sleep(lookEvery, undefined, { signal: ended, ref: false }).catch(() => {})
    if (ended.aborted) return
    const beat = told[slots.beat] ?? 0
    // One that waits for its turn has not begun.
    if (beat !== last || beat === 0) silent = -1
    last = beat
    const total = told[slots.total] ?? -1
    if (beat > 0) await progress(told[slots.done] ?? 0, total < 0 ? null : total)
  }
  throw new WorkTookTooLong()
}

/** True for work that no thread could end: more memory or time than any real file takes. */
export const isTooMuch = (error: unknown): boolean => error instanceof WorkTooLarge
