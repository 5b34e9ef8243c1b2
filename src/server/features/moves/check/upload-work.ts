import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '#server/config.ts'
import { WorkTookTooLong, WorkTooLarge } from '#server/lib/worker-errors.ts'
import { createWorkerPool } from '#server/lib/worker-pool.ts'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import type { Language } from '#shared/languages.ts'
import type { MovePlanSurroundings } from '../plan/plan-contents.ts'
import { isSmall, type Turn } from '../store/turn.ts'
import type { Checked, Finding } from './verify-upload.ts'

/* Uploads are parsed in processes, so that no file can block or end the server (docs/decisions/0080, 0121). */

export interface UploadWorks {
  convert: {
    input: {
      path: string
      fileName: string
      folder: string
      language: Language
      settings: Config['outgoing']
    }
    result: MoveRefusal | undefined
  }
  verify: { input: Checked & { others?: number | undefined }; result: Finding }
  plan: { input: Checked & { language: Language | undefined }; result: MovePlan }
}

/** Database queries that a process sends to the server, because only the server has a connection. */
export type Answers = Pick<MovePlanSurroundings, 'isAppTaken' | 'takenDocuments' | 'takenAssets'>

export interface UploadTask {
  turn: Turn
  kind: keyof UploadWorks
  input: unknown
}

/**
 * A call from a process to the server: a database query, or the progress. The progress is sent twice a second and also
 * shows that the thread is not blocked. `done` null: nothing has been reported yet. `total` null: unknown.
 */
export type UploadCall =
  | { what: keyof Answers; input: unknown }
  | { progress: { done: number | null; total: number | null } }

/** Errors lose their properties between processes, so the needed ones are sent as values. */
export type UploadOutcome =
  | { made: unknown }
  | { failed: { message: string; stack?: string | undefined; at: string | undefined } }

/** Entry of the processes: next to this file, or next to main.js in the bundle. */
const entry = new URL(
  import.meta.url.endsWith('.ts') ? './moves.worker.ts' : './moves.worker.js',
  import.meta.url,
)

/** Time limit in milliseconds for waiting and for running. Large exports take hours, mostly to download files. */
const aDay = 24 * 3_600_000
/** Maximum CPU time in milliseconds for which a file may block its process. */
const maxSilentCpuMs = 120_000
/**
 * Options of the pool, which exists once per server process: at most two processes of 512 MB each, and one process per
 * account.
 */
export const uploadWorkBounds = {
  processes: 2,
  memory: 512,
  isLowPriority: true,
  maxPerOwner: 1,
  ownerOf: ({ turn }: Pick<UploadTask, 'turn'>) => turn.account,
  sizeOf: ({ turn }: Pick<UploadTask, 'turn'>) => (isSmall(turn.bytes) ? 0 : 1),
}
const pool = createWorkerPool<UploadTask, UploadOutcome>({
  entry,
  runLimit: aDay,
  waitLimit: aDay,
  silenceLimit: maxSilentCpuMs,
  idleLimit: 60_000,
  ...uploadWorkBounds,
})

const checkIntervalMs = 500

interface Watching {
  turn: Turn
  progress(done: number, total: number | null): Promise<void>
  signal: AbortSignal
  answers?: Answers
  /** Called on failure with the content that was being read. */
  at?(what: string): void
}

interface Reported {
  done: number | null
  total: number | null
}

/**
 * Runs the work in a process. Throws the errors of the work, of `progress` and of `answers`, the reason of the signal,
 * and `WorkTooLarge` if the work exceeds its limits.
 */
export async function runUploadWork<Kind extends keyof UploadWorks>(
  kind: Kind,
  input: UploadWorks[Kind]['input'],
  { turn, progress, signal, answers, at }: Watching,
): Promise<UploadWorks[Kind]['result']> {
  const reported: Reported = { done: null, total: null }
  const onCall = (received: unknown) => {
    const call = received as UploadCall
    if ('what' in call) {
      const answer = answers?.[call.what] as ((input: unknown) => Promise<unknown>) | undefined
      return answer?.(call.input)
    }
    Object.assign(reported, call.progress)
    return undefined
  }
  const stopped = new AbortController()
  const working = pool.run(
    { turn, kind, input },
    { signal: AbortSignal.any([signal, stopped.signal]), onCall },
  )
  const ended = new AbortController()
  const settled = working.then(
    () => ended.abort(),
    () => ended.abort(),
  )
  try {
    await Promise.race([settled, watch(reported, progress, ended.signal)])
  } catch (error) {
    stopped.abort(error)
  }
  const outcome = await working
  if ('made' in outcome) return outcome.made as UploadWorks[Kind]['result']
  const { message, stack, at: place } = outcome.failed
  if (place !== undefined) at?.(place)
  throw Object.assign(new Error(message), stack === undefined ? {} : { stack })
}

async function watch(reported: Reported, progress: Watching['progress'], ended: AbortSignal): Promise<void> {
  for (;;) {
    await sleep(checkIntervalMs, undefined, { signal: ended, ref: false }).catch(() => {})
    if (ended.aborted) return
    const { done, total } = reported
    if (done !== null) await progress(done, total)
  }
}

/** Returns whether the work was stopped because it exceeded its memory or time limit. */
export const isTooMuch = (error: unknown): boolean => error instanceof WorkTooLarge

/** Returns which limit was exceeded, as a word for refusals. */
export const kindOf = (error: unknown): 'time' | 'memory' =>
  error instanceof WorkTookTooLong ? 'time' : 'memory'
