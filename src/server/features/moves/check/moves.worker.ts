import { once } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import type { Outcome } from '#server/lib/worker-pool.ts'
import { withArchive } from '../archive/archive-files.ts'
import { planFor } from '../plan/plan-contents.ts'
import { convertUpload } from './convert-upload.ts'
import { type Question, slots, type ThreadOutcome, type ThreadTask, type ThreadWorks } from './threads.ts'
import { verifyUpload } from './verify-upload.ts'

/* Entry of the threads that parse uploads (threads.ts). */

/** What is being read, if known; reported when the thread fails. */
let reading: string | undefined

type Progress = (done: number, total: number | null) => void
type Ask = <Answer>(what: Question['what'], input: unknown) => Promise<Answer>

/** One question at a time, because the server answers in order. */
const askBy =
  (port: MessagePort): Ask =>
  async (what, input) => {
    port.postMessage({ what, input } satisfies Question)
    const [answer] = await once(port, 'message')
    return answer
  }

const works: {
  [Kind in keyof ThreadWorks]: (
    input: ThreadWorks[Kind]['input'],
    progress: Progress,
    ask: Ask,
  ) => Promise<ThreadWorks[Kind]['result']>
} = {
  async convert(input, progress) {
    const outgoing = createOutgoingHttp()
    try {
      return await convertUpload({
        ...input,
        outgoing,
        progress: async (done, total) => progress(done, total),
      })
    } finally {
      await outgoing.close()
    }
  },
  verify: verifyUpload,
  plan: ({ path, part, language = 'ja' }, progress, ask) =>
    withArchive(
      path,
      (source) =>
        planFor(source, {
          language,
          onProgress: progress,
          at: (what) => {
            reading = what
          },
          isAppTaken: (uid) => ask('isAppTaken', uid),
          takenDocuments: (ids) => ask('takenDocuments', ids),
          takenAssets: (ids) => ask('takenAssets', ids),
        }),
      part,
    ),
}

/** Milliseconds between two heartbeats. */
const beatEvery = 500

parentPort?.on('message', async ({ kind, input, shared, port }: ThreadTask) => {
  const slotValues = new Float64Array(shared)
  const beat = setInterval(() => {
    slotValues[slots.beat] = (slotValues[slots.beat] ?? 0) + 1
  }, beatEvery)
  reading = undefined
  let outcome: ThreadOutcome
  try {
    const work = works[kind] as (input: unknown, progress: Progress, ask: Ask) => Promise<unknown>
    const progress: Progress = (done, total) => {
      slotValues[slots.total] = total ?? -1
      slotValues[slots.done] = done
    }
    const result = await work(input, progress, askBy(port))
    outcome = { made: result }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    outcome = { failed: { message, stack, at: reading } }
  }
  clearInterval(beat)
  port.close()
  parentPort?.postMessage({ result: outcome } satisfies Outcome<ThreadOutcome>)
})
